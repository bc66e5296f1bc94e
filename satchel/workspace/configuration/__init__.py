"""Settings: what they are, what they may be, and which of them a repository may say."""
