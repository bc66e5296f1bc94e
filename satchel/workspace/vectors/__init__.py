"""Encoders and vector searches that need settings, a network or Chroma."""
