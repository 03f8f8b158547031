"""The instances as a dataset for the Hub: `python -m dataset_builder build --config open --out DIR`."""
