### Dead letters.

letters-what = Messages that could not be recorded. Send one again when its cause is mended, or put it away.
letters-title = Dead letter #{ $id }
letters-which = Which letters
letters-waiting = Waiting
letters-replay = Being sent again
letters-replayed = Sent again
letters-discard = Being put away
letters-discarded = Put away
letters-all = All
letters-none = No dead letters here
letters-older = Older letters
letters-message = Message
letters-why = Why
letters-state = State
letters-tries = Replays
letters-kept-at = Kept
letters-changed-at = Changed
letters-order = Its order
letters-to-order = Look for it
letters-schema = Schema
letters-no-schema = none
letters-note = Put away because
letters-body = Body ({ $size } bytes)
letters-no-text = The body is no text; these are its bytes.
letters-cut = Only its beginning is shown.
letters-replay-what = A worker sends the message to the orders again, as it was. If it fails again it comes back here.
letters-replay-button = Send it again
letters-discard-summary = Put it away
letters-discard-help = Kept with the letter and in the audit.
letters-discard-button = Put it away
letters-replay-all = Send all again
letters-replay-all-what = All letters that wait are sent again. Those that fail again come back.
letters-replay-all-button = Send all waiting ones again
letters-done-replay = A worker will send it again in a moment.
letters-was-replayed = It was sent again. If it fails again it comes back within seconds.
letters-came-back = It was sent again and came back: its cause is not mended. The reason below is the new one.
letters-was-discarded = It is put away.
letters-done-discard = A worker will put it away in a moment.
letters-done-replay-all = { $count ->
    [one] { $count } letter is being sent again.
   *[other] { $count } letters are being sent again.
}
letters-overtaken = Nothing was done: the letter is not waiting any more.
