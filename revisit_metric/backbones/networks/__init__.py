"""Networks of our own, written from published architectures; imported only by the backbones that use them."""
