### The frame of the console.

console-nav-label = Console
console-activities = Activities
console-products = Products
console-accounts = Accounts
console-audit = Audit
console-faults = Nothing was saved. Please look at these fields:
