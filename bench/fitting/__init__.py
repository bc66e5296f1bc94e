"""Ranking numbers fitted with repositories held out."""
