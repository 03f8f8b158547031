"""Adapters: one navigation script in every world model's own input. `python -m adapters` is the way in.

Conventions are in `adapters.protocol`; what each model wants is in its file's docstring and in `README.md`.
The package stays in the repository: its name belongs to another project on PyPI.

Example:
    >>> from adapters import load_adapter
    >>> adapter = load_adapter("hy-worldplay", {"form": "string"})
    >>> adapter.spec.grid.next_valid(481)
    493
"""

import difflib
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from adapters.protocol import Adapter, AdapterError, Spec

ENTRY_POINTS = "revisit_metric.adapters"
"""Group under which a third party's package offers an adapter: `name = "module:Class"`."""

TABLE = {
    "lingbot-world": "adapters.lingbot_world:LingBotWorld",
    "lingbot-world-act2cam": "adapters.lingbot_act:LingBotAct",
    "lingbot-world-fast": "adapters.lingbot_world:LingBotWorldFast",
    "lingbot-world-2-fast": "adapters.lingbot_world:LingBotWorld2Fast",
    "matrix-game-2": "adapters.matrix_game_2:MatrixGame2",
    "matrix-game-3": "adapters.matrix_game_3:MatrixGame3",
    "matrix-game-3.5": "adapters.matrix_game_35:MatrixGame35",
    "hy-worldplay": "adapters.hy_worldplay:HYWorldPlay",
    "dreamx-world": "adapters.dreamx_world:DreamXWorld",
    "sana-wm": "adapters.sana_wm:SanaWM",
    "lyra-2": "adapters.lyra_2:Lyra2",
    "wonderworld": "adapters.wonderworld:WonderWorld",
    "yume-1.5": "adapters.yume:Yume",
    "gamecraft": "adapters.gamecraft:GameCraft",
    "infinite-world": "adapters.infinite_world:InfiniteWorld",
    "alayaworld": "adapters.alaya_world:AlayaWorld",
    "camera-re10k": "adapters.camera_formats:RealEstate10K",
    "camera-c2w": "adapters.camera_formats:CameraToWorld",
    "camera-w2c": "adapters.camera_formats:WorldToCamera",
    "camera-opengl": "adapters.camera_formats:OpenGL",
}
"""Adapters of this package by model."""

UNAVAILABLE = {
    "dreamx-world-memo": "DreamX-World-Memo is not released: no code, checkpoint or interface; 'dreamx-world' is its "
    "public sibling, and its results are not Memo's",
    "dreamx-world-5b-cam": "DreamX-World 5B-Cam ends at 121 frames, before any of the three templates; "
    "'dreamx-world' is the autoregressive one",
}
"""Models that people ask for and that cannot be served, with the reason."""


def adapter_table() -> dict[str, str]:
    """Every adapter, this package's and those of installed packages, name -> "module:Class".

    Raises:
        AdapterError: Two adapters claim one name.
    """
    table = dict(TABLE)
    for entry in entry_points(group=ENTRY_POINTS):
        if entry.name in table:
            raise AdapterError(
                f"adapter {entry.name!r} is offered twice, by {table[entry.name]} and {entry.value}: rename one"
            )
        table[entry.name] = entry.value
    return table


def adapter_class(name: str) -> Any:
    """The class behind a name.

    Raises:
        AdapterError: No such adapter, or one that cannot be imported.
    """
    table = adapter_table()
    if name in UNAVAILABLE:
        raise AdapterError(UNAVAILABLE[name])
    if name not in table:
        close = difflib.get_close_matches(name, table, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise AdapterError(f"unknown adapter {name!r}: {hint}known are {', '.join(table)}")
    module, _, attribute = table[name].partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise AdapterError(f"adapter {name!r} cannot be loaded from {table[name]}: {error}") from error
    if not isinstance(getattr(found, "spec", None), Spec):
        raise AdapterError(f"adapter {name!r}: {table[name]} has no 'spec' of type adapters.protocol.Spec")
    return found


def load_adapter(name: str, options: Mapping[str, str] | None = None) -> Adapter:
    """An adapter with its options.

    Raises:
        AdapterError: See `adapter_class`; or an option that is unknown, bad or missing.
    """
    adapter = adapter_class(name)(options or {})
    if not isinstance(adapter, Adapter):
        raise AdapterError(f"adapter {name!r} lacks one of convert, command, collect")
    return adapter
