### The console's accounts.

accounts-title = Accounts
accounts-search-label = Name begins with
accounts-search-button = Search
accounts-all = All
accounts-none = No account is like that
accounts-first = First page
accounts-next = Next page
accounts-number = Number
accounts-role = Role
accounts-state = State
accounts-since = Since
accounts-live = Open
accounts-disabled = Closed
accounts-disabled-since = Closed since

role-shopper = Shopper
role-operator = Operator
role-admin = Admin

accounts-add = New account
accounts-add-button = Make account
accounts-own = This is your own account. Somebody else changes your role or closes it; your password you change here:
accounts-role-label = May do
accounts-role-what = Shoppers buy. Operators also watch orders and the pipeline. Admins also configure sales. Whoever gets another role has to sign in again.
accounts-role-button = Change role
accounts-role-missing = Please choose a role.
accounts-password-label = Password to be set
accounts-password-help = It is shown while you type, so that you can pass it on.
accounts-password-what = For somebody who cannot sign in any more. All their sessions end.
accounts-password-button = Set password
accounts-sessions = Sessions
accounts-sessions-what = Signs this account out in every browser within two seconds. It can sign in again.
accounts-sessions-button = End all sessions
accounts-disable = Close account
accounts-disable-what = Nobody can sign in with a closed account. Its orders stay as they are, and it can be opened again.
accounts-disable-sure = It is signed out everywhere within two seconds.
accounts-disable-button = Close this account
accounts-enable = Open account
accounts-enable-what = The account can sign in again, with the password it had.
accounts-enable-button = Open this account again

accounts-refused-oneself = Nobody changes this of their own account here. Ask another admin.
accounts-refused-last-admin = This is the last admin who can sign in. Make another one first.
accounts-done-add = The account is made.
accounts-done-role = The role is as chosen.
accounts-done-password = The password is set, and all sessions are over.
accounts-done-disable = The account is closed.
accounts-done-enable = The account is open.
accounts-done-end-sessions = All sessions of this account are over.
