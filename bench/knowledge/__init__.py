"""Knowledge measured: latency, recall, and which tools a focus brings up."""
