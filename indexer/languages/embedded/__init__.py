"""Languages inside of templates, made readable for their own grammars."""
