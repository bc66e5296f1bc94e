"""What ties items to code: anchors, links, scopes and distances in the call graph."""
