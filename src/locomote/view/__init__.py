"""What can be seen of a model and of a run: films, reports and a viewer in the browser, drawn from one scene."""
