### Signing in and registering.

username-label = Name
password-label = Password

login-title = Sign in
login-button = Sign in
login-sending = One moment …
login-no-account = New here?
login-to-register = Create an account
login-missing = Please type your name and your password.
login-wrong = Name or password is not right.
login-closed = This account is closed.
login-too-many-tries = That was tried too often. Please wait a few minutes.
login-busy = Many people are signing in right now. Please try again in a few seconds.

register-title = Create an account
register-button = Create account
register-have-account = Already have an account?
register-to-login = Sign in
register-busy = Many people are signing up right now, so nothing was kept. Please try again in a few seconds.
register-username-hint = How we shall call you. Any script is welcome.
register-username-missing = Please choose a name.
register-username-short = A name has at least { $min } characters.
register-username-long = A name has at most { $max } characters.
register-username-characters = A name cannot hold this kind of character.
register-username-taken = This name is taken. Please choose another.
register-password-hint = At least { $min } characters. A few words are easier to keep than odd signs.
register-password-missing = Please choose a password.
register-password-short = A password has at least { $min } characters.
register-password-long = A password has at most { $max } characters.

account-title = Your account
account-link = Your account
account-password-title = Change password
account-password-what = You stay signed in here. Everywhere else you will have to sign in again.
account-password-button = Change password
account-password-done = Your password is changed. All other sessions of your account are over.
account-current-label = Present password
account-current-missing = Please type your present password.
account-current-wrong = This is not your present password.
account-new-label = New password
account-again-label = New password, once more
account-again-differs = This is not the same as the new password.
account-everywhere-title = Sign out everywhere
account-everywhere-what = Ends all sessions of your account, in this browser too. Do this if you forgot to sign out somewhere.
account-everywhere-button = Sign out everywhere
