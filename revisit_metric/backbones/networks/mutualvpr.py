"""MutualVPR place recognition, from the published architecture, with its authors' tensor names."""

import torch  # noqa: TID253  (imported only when a backbone is built)
from torch import nn  # noqa: TID253
from torch.nn import functional  # noqa: TID253

from revisit_metric.backbones.networks.vit import Vit, VitShape

_SMALLEST = 1e-6


class _UnitLength(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.normalize(x, dim=1)


class _GeneralisedMean(nn.Module):
    """Mean over the patch map with a learned exponent."""

    def __init__(self) -> None:
        super().__init__()
        self.p = nn.Parameter(torch.full((1,), 3.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.clamp(min=_SMALLEST).pow(self.p).mean(dim=(2, 3)).pow(1 / self.p)


class MutualVprNetwork(nn.Module):
    """From normalised images `(B, 3, S, S)` to unit descriptors `(B, out_dim)`."""

    def __init__(self, shape: VitShape, out_dim: int) -> None:
        super().__init__()
        self.backbone = Vit(shape)
        # The authors' sequence has a module without tensors in place 2; the names of the tensors count it.
        layers = (_UnitLength(), _GeneralisedMean(), nn.Identity(), nn.Linear(shape.dim, out_dim), _UnitLength())
        self.aggregation = nn.Sequential(*layers)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """Return the descriptors, pooled from the normed patch tokens."""
        side = pixels.shape[-1] // self.backbone.shape.patch
        tokens = self.backbone.norm(self.backbone(pixels))[:, 1:]
        pooled: torch.Tensor = self.aggregation(tokens.transpose(1, 2).unflatten(2, (side, side)))
        return pooled
