### Pages that cannot be shown.

error-taken-nothing = Nothing was taken and nothing was changed.
error-taken-unsure = If you were buying or paying just now: it may have gone through. My orders tells the truth; there is no need to do it again before you have looked.
error-request-id = If you ask us about this, name:

error-bad-request = We could not read that
error-bad-request-what = Something in the request was missing or not as it should be. Go back and try once more.
error-signed-out = Please sign in
error-signed-out-what = This page is for signed-in shoppers.
error-forbidden = This page is not for you
error-forbidden-what = Your account may not open it.
error-stale-form = That form had gone stale
error-stale-form-what = It was opened before you signed in, or a long time ago, so we did not trust it. Open the page again and repeat what you did.
error-not-found = There is nothing here
error-not-found-what = The address is wrong, or what it led to is gone.
error-method-not-allowed = It does not work that way
error-method-not-allowed-what = This address cannot be called like this. Use the buttons on our pages.
error-conflict = That no longer fits
error-conflict-what = Something had changed in the meantime. Open the page again to see how it stands now.
error-too-slow = That took too long to arrive
error-too-slow-what = Your connection was too slow to send the form in one go. Please try again.
error-too-large = That was too much at once
error-too-large-what = What you sent is larger than we take here.
error-unsupported-media = We do not understand that format
error-unsupported-media-what = Use the forms on our pages.
error-too-many = A little too fast
error-too-many-what = Many requests came from you in a short time. Wait a moment and go on.
error-internal = Something broke on our side
error-internal-what = It is our fault, not yours, and we have a note of it.
error-unavailable = We are not quite there
error-unavailable-what = The shop cannot answer at this moment. Try again in a few seconds.
error-sign-out = Signed out in this browser only
error-sign-out-what = Our records could not be reached, so we cannot promise that this session is over everywhere. If somebody might have a copy of it, sign in again in a moment and choose “Sign out everywhere” on your account page. In any case it ends by itself within 12 hours.
error-taken-sign-out = Nothing was bought and nothing was paid.
error-ops-unavailable = A server that this page needs does not answer. The pipeline page needs none: it names the server, and says what to do.
