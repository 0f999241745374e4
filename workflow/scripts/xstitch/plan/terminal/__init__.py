"""What a person sees on the terminal while a run goes on."""
