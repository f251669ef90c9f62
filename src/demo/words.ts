/** The texts of the demo: issues with their solutions, comments, milestones and pages. */

/** Subjects of issues by project; each reads as the beginning of a sentence. */
export const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  "harbourlight/berth-scheduler": [
    "Berth plan",
    "Allocation queue",
    "Quay map",
    "Arrival list",
    "Vessel search",
    "Mooring form",
    "Customs bridge",
    "Tug booking",
    "Draught check",
    "Shift report",
    "Harbour fee sheet",
    "Night view",
    "Message to the agent",
    "Dangerous goods list",
    "Crane calendar",
    "Lay-by overview",
  ],
  "harbourlight/pilot-roster": [
    "Roster export",
    "Rest time rule",
    "Boarding list",
    "Swap request",
    "Licence reminder",
    "Boat plan",
    "Weekly roster",
    "On-call page",
    "Phone list",
  ],
  "quayside/tide-tables": [
    "Tide import",
    "Port index",
    "Yearly file",
    "Chart preview",
    "Datum table",
    "Download page",
    "Station page",
    "Correction sheet",
  ],
};

/** Titles of issues, with the commits that solve them; `#` stands for the subject. */
export const MATTERS: readonly (readonly [issue: string, remedy: string])[] = [
  ["# forgets its filter after a reload", "Keep the filter of the # in the address"],
  ["# is slow with more than 500 rows", "Load the rows of the # by page"],
  ["# shows local time without saying so", "Name the time zone in the #"],
  ["# breaks on names with an apostrophe", "Escape names in the #"],
  ["# counts cancelled entries", "Leave cancelled entries out of the #"],
  ["# needs a test for the end of the month", "Test the # over the end of a month"],
  ["# cannot be printed on one page", "Give the # a layout for paper"],
  ["# loses the last row when sorted", "Sort the # with a stable key"],
  ["# should say who changed it last", "Show the last change of the #"],
  ["# accepts dates in the past", "Refuse past dates in the #"],
  ["# cannot be used by keyboard alone", "Make the # work by keyboard"],
  ["# sends two messages for one change", "Send one message for each change of the #"],
  ["# is empty for ten minutes after midnight", "Begin the day of the # at local midnight"],
  ["# hides the reason for a refusal", "Say in the # why something was refused"],
  ["# cuts long names without a hint", "Show whole names in the # on request"],
  ["# should link to its history", "Link the history from the #"],
  ["# does not follow the daylight saving change", "Reckon the # in UTC"],
  ["# keeps a lock after a failed save", "Release the lock of the # when saving fails"],
  ["# rounds to whole numbers", "Keep decimals in the #"],
  ["# is out of date when two people edit", "Tell editors of the # about each other"],
  ["# should remember the last choice", "Remember the last choice in the #"],
  ["# shows an error page for empty input", "Greet empty input of the # with an example"],
  ["# cannot be exported as CSV", "Export the # as CSV"],
  ["# uses the old colours for warnings", "Use the new warning colours in the #"],
];

/** Comments on issues. */
export const ISSUE_COMMENTS: readonly string[] = [
  "I can see this with yesterday's data. It begins at the second page.",
  "The harbour office asked for this twice this week, so let's take it before the next milestone.",
  "Could you add the vessel's number? I'd like to look at the same row.",
  "Works for me on staging. Is there anything special about your quay?",
  "It only happens while the night import runs.",
  "Thanks for the clear steps. I'll take this tomorrow.",
  "I don't think we should change the default. A setting in the profile would do.",
  "Same on the tablet in the pilot boat, there it is even harder to read.",
  "Two dispatchers confirmed that this is what they expect.",
  "Let's keep it small: first the wrong number, the wording later.",
  "This has been so since the move to the new feed.",
  "I measured it: 2.4 s before lunch, 0.3 s after. It is the lock.",
  "Found the cause. The time zone is applied twice.",
  "Moved to the next milestone, nobody is blocked by it.",
];

/** Comments on merge requests and their lines. */
export const REVIEW_COMMENTS: readonly string[] = [
  "Can this be a check constraint? Then no other path can get it wrong.",
  "The name says less than the comment below it. How about the comment's words as the name?",
  "Please add a test for the last day of February.",
  "This query reads the whole table. The index on the arrival date would serve.",
  "Good catch with the empty list.",
  "I'd leave the old member in the answer for one more release.",
  "Nice. One thing: the message should say what to do next.",
  "Works on staging. I tried it with the tide change at four.",
  "Why the retry here? The queue does that already.",
  "Small one: we write berth, never slot.",
];

/** Comments on commits. */
export const COMMIT_COMMENTS: readonly string[] = [
  "This one is in production since this morning.",
  "The import is twice as fast with this. Thank you!",
  "I think this is where the second message came from.",
];

/** Commits pushed directly to the default branch. */
export const SMALL_COMMITS: readonly string[] = [
  "Correct two words in the handbook",
  "Bring the dependencies up to date",
  "Raise the version",
  "Sort the list of ports",
  "Describe how to restore the archive",
  "Remove a setting that nothing reads",
  "Say which quay a test is about",
  "Move the sample data beside its test",
];

export const MILESTONES: readonly string[] = [
  "Winter timetable",
  "Spring tides",
  "Summer season",
  "Autumn storms",
  "Quiet weeks",
  "New feed",
  "Paper-free quay",
  "Faster mornings",
];

export const WIKI_PAGES: readonly (readonly [slug: string, title: string])[] = [
  ["home", "Home"],
  ["handbook/night-shift", "Handbook for the night shift"],
  ["runbooks/allocation-queue", "Runbook: allocation queue"],
  ["runbooks/roster-export", "Runbook: roster export"],
  ["how-we-review", "How we review"],
  ["glossary", "Words of the harbour"],
  ["on-call", "Being on call"],
];

export const SNIPPETS: readonly string[] = [
  "Count vessels by quay and hour",
  "Replay one day of arrivals",
  "Compare two tide files",
];
