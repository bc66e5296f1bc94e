"""The index and the vocabulary that all rooms share: values, codecs, the on-disk format."""
