"""What ends a step: events of users, contacts that open and close, stops of joints, impacts, switching."""
