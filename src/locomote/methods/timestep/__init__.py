"""Steps over hard contacts with friction (Moreau's midpoint), for one run and for lanes of runs."""
