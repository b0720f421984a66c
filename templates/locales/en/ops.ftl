### The frame of the operators' pages.

ops-nav-label = Operations
ops-orders = Orders
ops-pipeline = Pipeline
ops-stuck = Stuck
ops-dead-letters = Dead letters
ops-sales = Sales
ops-reconciliation = Reconciliation
