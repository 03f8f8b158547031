"""The vision transformer of DINOv2, with its authors' tensor names.

For models that were trained on top of the authors' code: their checkpoints hold these names, and away from the trained
grid they need the authors' way of interpolating position embeddings (bicubic, no antialias, by the scale factor
(n + 0.1) / 37, which is not what `transformers` does).
"""

from typing import NamedTuple, cast

import torch  # noqa: TID253  (imported only when a backbone is built)
from torch import nn  # noqa: TID253
from torch.nn import functional  # noqa: TID253

_OFFSET = 0.1


class VitShape(NamedTuple):
    """Sizes of the transformer; `grid` is the side of the trained position grid, in patches."""

    dim: int = 768
    depth: int = 12
    heads: int = 12
    patch: int = 14
    grid: int = 37


class _PatchEmbed(nn.Module):
    def __init__(self, shape: VitShape) -> None:
        super().__init__()
        self.proj = nn.Conv2d(3, shape.dim, shape.patch, stride=shape.patch)


class _Attention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, tokens, dim = x.shape
        qkv = self.qkv(x).reshape(batch, tokens, 3, self.heads, dim // self.heads).permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2])
        return cast("torch.Tensor", self.proj(mixed.transpose(1, 2).reshape(batch, tokens, dim)))


class _Mlp(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.fc1 = nn.Linear(dim, 4 * dim)
        self.fc2 = nn.Linear(4 * dim, dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return cast("torch.Tensor", self.fc2(functional.gelu(self.fc1(x))))


class _LayerScale(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * self.gamma


class _Block(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(dim, eps=1e-6)
        self.attn = _Attention(dim, heads)
        self.ls1 = _LayerScale(dim)
        self.norm2 = nn.LayerNorm(dim, eps=1e-6)
        self.mlp = _Mlp(dim)
        self.ls2 = _LayerScale(dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.ls1(self.attn(self.norm1(x)))
        return cast("torch.Tensor", x + self.ls2(self.mlp(self.norm2(x))))


class Vit(nn.Module):
    """The transformer; `forward` gives the tokens `(B, 1 + h w, dim)` after the last block, before `norm`."""

    def __init__(self, shape: VitShape) -> None:
        super().__init__()
        self.shape = shape
        self.cls_token = nn.Parameter(torch.zeros(1, 1, shape.dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, 1 + shape.grid**2, shape.dim))
        self.mask_token = nn.Parameter(torch.zeros(1, shape.dim))
        self.patch_embed = _PatchEmbed(shape)
        self.blocks = nn.ModuleList(_Block(shape.dim, shape.heads) for _ in range(shape.depth))
        self.norm = nn.LayerNorm(shape.dim, eps=1e-6)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """Return the tokens of square images `(B, 3, S, S)`, class token first."""
        patches = self.patch_embed.proj(pixels)
        positions = self._positions(patches.shape[-1])
        tokens = patches.flatten(2).transpose(1, 2)
        x = torch.cat([self.cls_token.expand(len(pixels), -1, -1), tokens], dim=1) + positions
        for block in self.blocks:
            x = block(x)
        return x

    def _positions(self, side: int) -> torch.Tensor:
        grid = self.shape.grid
        if side == grid:
            return self.pos_embed
        trained = self.pos_embed[:, 1:].float().reshape(1, grid, grid, -1).permute(0, 3, 1, 2)
        factor = (side + _OFFSET) / grid
        patches = functional.interpolate(trained, scale_factor=(factor, factor), mode="bicubic")
        return torch.cat([self.pos_embed[:, :1], patches.flatten(2).transpose(1, 2)], dim=1)
