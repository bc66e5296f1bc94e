"""Satchel packs the right code into the tokens you have."""
