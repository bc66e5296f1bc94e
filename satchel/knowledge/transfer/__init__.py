"""Knowledge in and out: exports, imports, and documents that state decisions."""
