### What every page shares.

brand = Seckill
skip-to-content = Skip to content
nav-label = Main
nav-sales = Sales
nav-orders = My orders
nav-console = Console
nav-operations = Operations
signed-in-as = Signed in as
sign-in = Sign in
sign-out = Sign out
language-label = Language
footer-promise = Every unit goes to exactly one shopper. First come, first served, by our clock.

link-back = Back to the page
link-sales = See all sales
link-all-sales = All sales
link-orders = My orders
link-back-to-sale = Back to the sale
link-buy-again = Back to the sale to try again

# $month is 1 to 12; $clock is written 20:00.
moment =
    { $day } { $month ->
        [1] Jan
        [2] Feb
        [3] Mar
        [4] Apr
        [5] May
        [6] Jun
        [7] Jul
        [8] Aug
        [9] Sep
        [10] Oct
        [11] Nov
       *[12] Dec
    } { $year }, { $clock } UTC
duration-hours = { $count ->
    [one] { $count } hour
   *[other] { $count } hours
}
duration-minutes = { $count ->
    [one] { $count } minute
   *[other] { $count } minutes
}
duration-seconds = { $count ->
    [one] { $count } second
   *[other] { $count } seconds
}
count-days = days
count-hours = hrs
count-minutes = min
count-seconds = sec
