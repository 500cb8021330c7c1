"""What to say: names in play, experts, likely claims, and the block for a prompt.

These decide what is told:

- `View.may_enter`: an artifact may enter a prompt at all. It is asked first.
- `salience.volunteered`: an entity is named so clearly that it is told of though nobody asked.
- `Window.to_volunteer`: which of these a push brings up, by the session and the settings.
- `Candidate.is_told`: a claim, a section or a relation is likely enough for its kind.
- `blocks.touched_files.lines_at`: a claim is likely enough beside an edit.
- `blocks.context.make_block`: which lines of these fit, and what was given before.
"""
