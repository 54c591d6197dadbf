"""Pure functions from records and events to what is shown or searched."""
