"""Crashes, full disks and damage, made on purpose, and what was lost."""
