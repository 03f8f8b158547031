"""Bag-of-Queries place recognition, from the published architecture, with its authors' tensor names.

A 3x3 convolution narrows the backbone's patch map; each block refines the patch tokens with a transformer encoder
layer and lets learned queries, after attention among themselves, gather from them; a linear map over the queries of all
blocks gives the descriptor.
"""

from typing import NamedTuple, cast

import torch  # noqa: TID253  (imported only when a backbone is built)
from torch import nn  # noqa: TID253
from torch.nn import functional  # noqa: TID253

from revisit_metric.backbones.networks.vit import Vit, VitShape

_HEAD_DIM = 64


class BoqShape(NamedTuple):
    """Sizes: the descriptor has `row_dim` x `proj_dim` components (32 x 384 = 12288)."""

    vit: VitShape = VitShape()
    proj_dim: int = 384
    blocks: int = 2
    queries: int = 64
    row_dim: int = 32


class _BoqBlock(nn.Module):
    def __init__(self, dim: int, queries: int) -> None:
        super().__init__()
        heads = dim // _HEAD_DIM
        self.encoder = nn.TransformerEncoderLayer(dim, heads, 4 * dim, dropout=0.0, batch_first=True)
        self.queries = nn.Parameter(torch.zeros(1, queries, dim))
        self.self_attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm_q = nn.LayerNorm(dim)
        self.cross_attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm_out = nn.LayerNorm(dim)

    def forward(self, tokens: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        tokens = self.encoder(tokens)
        asked = self.queries + self.self_attn(self.queries, self.queries, self.queries, need_weights=False)[0]
        asked = self.norm_q(asked).expand(len(tokens), -1, -1)
        gathered = self.cross_attn(asked, tokens, tokens, need_weights=False)[0]
        return tokens, self.norm_out(gathered)


class _Aggregator(nn.Module):
    def __init__(self, shape: BoqShape) -> None:
        super().__init__()
        self.proj_c = nn.Conv2d(shape.vit.dim, shape.proj_dim, 3, padding=1)
        self.norm_input = nn.LayerNorm(shape.proj_dim)
        self.boqs = nn.ModuleList(_BoqBlock(shape.proj_dim, shape.queries) for _ in range(shape.blocks))
        self.fc = nn.Linear(shape.blocks * shape.queries, shape.row_dim)

    def forward(self, patches: torch.Tensor) -> torch.Tensor:
        tokens = self.norm_input(self.proj_c(patches).flatten(2).transpose(1, 2))
        gathered = []
        for block in self.boqs:
            tokens, found = block(tokens)
            gathered.append(found)
        rows = self.fc(torch.cat(gathered, dim=1).transpose(1, 2))
        return functional.normalize(rows.flatten(1), dim=1)


class _Backbone(nn.Module):
    def __init__(self, shape: VitShape) -> None:
        super().__init__()
        self.dino = Vit(shape)


class BoqNetwork(nn.Module):
    """From normalised images `(B, 3, S, S)` to unit descriptors `(B, row_dim * proj_dim)`."""

    def __init__(self, shape: BoqShape) -> None:
        super().__init__()
        self.backbone = _Backbone(shape.vit)
        self.aggregator = _Aggregator(shape)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """Return the descriptors; the class token is dropped, and the ViT's final norm is not applied."""
        patches = self.backbone.dino(pixels)[:, 1:].transpose(1, 2)
        side = pixels.shape[-1] // self.backbone.dino.shape.patch
        return cast("torch.Tensor", self.aggregator(patches.unflatten(2, (side, side))))
