"""One module or package for each kind of device, behind the contract in base."""
