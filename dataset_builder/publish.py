"""Publish a built folder as a dataset repository on the Hub.

The token comes from the environment variable `HF_TOKEN` and goes nowhere but to the Hub. `eval.yaml` is a
commit of its own, after the data: the Hub checks it against a list of registered frameworks when it is
pushed, and a refusal must not cost the data.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from dataset_builder.builder import SPLIT
from dataset_builder.card import ConfigFacts, eval_yaml, read_facts, write_card
from dataset_builder.scenes import UNSTATED

if TYPE_CHECKING:
    from huggingface_hub import HfApi

TOKEN_VARIABLE = "HF_TOKEN"


class PublishError(ValueError):
    """Nothing was published, or not all; the message says which."""


class Published(NamedTuple):
    """What is on the Hub now.

    Attributes:
        url: The dataset's page.
        commit: Commit of the data; pin it with `load_dataset(..., revision=commit)`.
        eval_refusal: Why the Hub refused `eval.yaml`; `None` where it took it, or none was due.
    """

    url: str
    commit: str
    eval_refusal: str | None


def push(repo: str, folder: Path, *, private: bool = False) -> Published:
    """Publish the configurations in a folder, in place of their earlier files in the repository.

    Args:
        repo: "owner/name"; made where it does not exist.
        folder: What `build` wrote.
        private: Make a new repository private, else it is what its owner's settings say. An existing one stays
            as it is.

    Raises:
        BuildError: The folder holds no dataset.
        PublishError: No token, rows without a licence for a repository that is public, or the Hub refused.
    """
    facts = read_facts(folder)
    if not (folder / "README.md").is_file():  # one that is there may have been edited
        write_card(folder)
    api = _api()
    try:
        url = str(api.create_repo(repo, repo_type="dataset", private=private or None, exist_ok=True))
        _check_licences(api, repo, facts)
        commit = _push_data(api, repo, folder, facts)
    except OSError as error:
        raise PublishError(f"{repo}: {_without_token(error)}") from error
    return Published(url, commit, _push_registration(api, repo, facts))


def _api() -> "HfApi":
    from huggingface_hub import HfApi

    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        raise PublishError(f"no token: set {TOKEN_VARIABLE} to one with write access")
    return HfApi(token=token)


def _check_licences(api: "HfApi", repo: str, facts: list[ConfigFacts]) -> None:
    unstated = [entry.name for entry in facts if UNSTATED in entry.licences]
    if unstated and not api.repo_info(repo, repo_type="dataset").private:
        raise PublishError(
            f"{repo} is public, and rows of {' and '.join(unstated)} have no stated licence: push to a "
            "private repository (--private, or the repository's settings), or build with the licence you hold"
        )


def _push_data(api: "HfApi", repo: str, folder: Path, facts: list[ConfigFacts]) -> str:
    shards = [f"{entry.name}/{SPLIT}-*.parquet" for entry in facts]
    commit = api.upload_folder(
        repo_id=repo,
        repo_type="dataset",
        folder_path=folder,
        allow_patterns=["README.md", *shards],
        delete_patterns=shards,  # an old shard under another number would double its rows
        commit_message=f"Build of {', '.join(entry.name for entry in facts)}",
    )
    return str(commit.oid)


def _push_registration(api: "HfApi", repo: str, facts: list[ConfigFacts]) -> str | None:
    text = eval_yaml(facts)
    if text is None:
        return None
    try:
        api.upload_file(
            path_or_fileobj=text.encode(),
            path_in_repo="eval.yaml",
            repo_id=repo,
            repo_type="dataset",
            commit_message="Benchmark registration",
        )
    except OSError as error:
        return _without_token(error)
    return None


def _without_token(error: OSError) -> str:
    return str(error).replace(os.environ[TOKEN_VARIABLE].strip(), "***")
