"""R2M-Bench: does a generated world stay the same place when the camera leaves and returns?"""

__version__ = "0.1.0"
