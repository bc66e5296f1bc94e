"""The index and the values that all packages share: records, codecs, the on-disk format."""
