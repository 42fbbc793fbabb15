//! The codes of all problems. A code is never given to another problem, even after it is retired.
//!
//! Each has a page under `docs/codes/`, which is embedded: `loopctl explain CODE` prints it, and its
//! first paragraph says in one sentence why such a problem matters.

use include_dir::{Dir, include_dir};

static PAGES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../docs/codes");

/// Names each code, its stable text, and what it is about.
macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)+) => {
        /// The kind of mistake that a problem is. The text form (`LC102`) is stable; scripts may rely on it.
        ///
        /// LC0: files; LC1: the shape of what is in them; LC2: profiles; LC3: patterns, paths, scripts, schemas and
        /// templates; LC4: plugins; LC5: policies that do not do what they say; LC6: rules, prompts and judges that do not.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $($(#[$doc])* $name,)+
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &'static [Code] = &[$(Code::$name),+];

            /// The stable text form.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Code::$name => $text,)+
                }
            }
        }
    };
}

codes! {
    /// A file could not be read.
    Unreadable = "LC001",
    /// A file is larger, deeper or has more nodes than allowed.
    TooLarge = "LC002",
    /// A file is not YAML.
    Syntax = "LC003",
    /// One mapping has the same key twice.
    DuplicateKey = "LC004",
    /// An environment variable that the file needs is not set.
    UnsetVariable = "LC005",
    /// A key that nothing reads.
    UnknownKey = "LC101",
    /// A value of another type than expected.
    WrongType = "LC102",
    /// A number outside its range, or not a number.
    OutOfRange = "LC103",
    /// A word that is not one of the allowed ones.
    UnknownWord = "LC104",
    /// A required key is missing.
    MissingKey = "LC105",
    /// Two things that exclude each other, or one thing said twice.
    Conflict = "LC106",
    /// A list or mapping that must not be empty is empty.
    Empty = "LC107",
    /// `extends` names a profile that does not exist.
    UnknownProfile = "LC201",
    /// `extends` leads back to where it started.
    InheritanceCycle = "LC202",
    /// A file that the profile names does not exist.
    MissingFile = "LC203",
    /// An override names a key that is not a setting.
    BadOverride = "LC204",
    /// A name of a dimension, stage, field, type or rule that is not defined.
    UnknownName = "LC205",
    /// A policy that could continue forever.
    NoLimit = "LC206",
    /// Weights that don't add up to 1.
    Weights = "LC207",
    /// A regular expression that does not compile, or is too large.
    BadPattern = "LC301",
    /// A path that is not a JSON Pointer, JSONPath or field name.
    BadPath = "LC302",
    /// A script that does not compile, or lacks the function that is called.
    BadScript = "LC303",
    /// A JSON Schema that is not one.
    BadSchema = "LC304",
    /// A template that does not compile, or uses an unknown variable.
    BadTemplate = "LC305",
    /// A rule that can't do anything.
    InertRule = "LC306",
    /// A plugin that can't be found, trusted or loaded.
    Plugin = "LC401",
    /// A dimension whose score decides nothing.
    MeasuredForNothing = "LC501",
    /// Rules that score 1 regardless of what they find.
    ConstantScore = "LC502",
    /// A stop criterion that can never fire.
    NeverFires = "LC505",
    /// A stop criterion that ends every run at the same point.
    AlwaysFires = "LC506",
    /// A stop criterion that another one leaves nothing to.
    Overtaken = "LC507",
    /// A window of scores that is longer than the run.
    LongWindow = "LC508",
    /// Settings about corrections where none is made.
    OneCandidate = "LC509",
    /// Acceptance that no candidate fails.
    AcceptsEverything = "LC521",
    /// Acceptance that no run reaches.
    NeverAccepted = "LC522",
    /// A line of `accept` that decides nothing.
    InertBound = "LC523",
    /// Acceptance that ignores critical issues.
    CriticalAccepted = "LC524",
    /// A bound that only the highest score reaches.
    PerfectScore = "LC525",
    /// A gate at or above the acceptance of its dimension.
    GateAboveAcceptance = "LC531",
    /// A gate that nothing misses.
    GateNeverMissed = "LC532",
    /// A gate that everything misses.
    GateAlwaysMissed = "LC533",
    /// A gate that says `rollback` where nothing is rolled back.
    GateRollback = "LC534",
    /// Issues for a person that no person gets to see.
    NobodyDecides = "LC535",
    /// A bound on disagreement that scores can't go beyond.
    NeverDisagrees = "LC536",
    /// A part of `select` that never decides.
    InertSelectKey = "LC541",
    /// A candidate that was rolled back or missed the gate, and is returned.
    ReturnsRolledBack = "LC542",
    /// A review that no result gets.
    ReviewNever = "LC545",
    /// A review that every result gets.
    ReviewAlways = "LC546",
    /// A certificate that does not cover the profile as it is.
    VoidCertificate = "LC551",
    /// A rule names a field that no schema, rubric or extraction pattern has.
    UnmadeField = "LC601",
    /// A path that can't match anything that the schema allows.
    DeadPath = "LC602",
    /// A rule for document types in a profile that distinguishes none.
    NoSuchType = "LC603",
    /// Fields of a schema that no rubric or rule inspects.
    UnmeasuredField = "LC604",
    /// A rubric or pattern names a field that the schema rules out.
    UndeclaredField = "LC605",
    /// A required field that no extraction pattern finds.
    UnfindableField = "LC606",
    /// A document type that a rubric does not list.
    UnlistedType = "LC607",
    /// A condition that always or never holds.
    DecidedCondition = "LC608",
    /// Two rules that ask the same.
    SameRule = "LC609",
    /// A rule whose issues no one acts on.
    IdleRule = "LC610",
    /// A placeholder in single braces.
    LiteralPlaceholder = "LC611",
    /// Demands of a schema that nothing checks.
    UncheckedSchema = "LC612",
    /// A misspelt keyword or name in a schema.
    SchemaSlip = "LC613",
    /// A document type that no document can have.
    NeverRecognised = "LC614",
    /// A pattern that matches anything.
    MatchesAll = "LC615",
    /// A pattern that can't match anything.
    MatchesNone = "LC616",
    /// A pattern that does not match its own example.
    MissedExample = "LC617",
    /// A case about a field or document type that does not exist.
    StrangeCase = "LC618",
    /// A file that calls itself by another name.
    OtherName = "LC619",
    /// A prompt that never shows the document.
    BlindPrompt = "LC620",
    /// A judge's prompt that never shows what is to be judged, or by what criteria.
    BlindJudge = "LC621",
    /// Feedback that does not say what is wrong.
    SilentFeedback = "LC622",
    /// A judge's prompt in which the document is not marked as data.
    UnmarkedDocument = "LC623",
    /// A judge whose scores may lie outside of its scale.
    UnboundedScore = "LC624",
    /// A judge's answer that the stages have, too.
    SharedReference = "LC625",
    /// A reference that the judge never sees.
    UnusedReference = "LC626",
    /// A mask that hides something from everyone.
    UnreadMask = "LC627",
    /// A judge that sees what a stage says about its own work.
    OwnClaims = "LC628",
    /// Rules of a parent that are no longer asked.
    LostRules = "LC629",
    /// An example in a prompt that breaks the profile's own rules.
    WrongExample = "LC630",
    /// A value of a schema that no phrase of the field's vocabulary says.
    UnreadValue = "LC631",
    /// A number whose unit appears only in its name.
    UnitInName = "LC632",
    /// A provider whose key is not set on this machine.
    NoKey = "LC635",
    /// Settings that a provider does not take, or lacks.
    ProviderSettings = "LC636",
    /// A program that runs with `--allow-commands` only.
    CommandsNeeded = "LC637",
    /// A key that is sent to any program listening on a port of this machine that a profile names.
    KeyToNamedPort = "LC638",
    /// A server or proxy that only a profile names, to which documents are sent.
    NamedServer = "LC639",
    /// A price of 0 for a provider that charges.
    FreePrice = "LC640",
}

impl Code {
    /// The code with this text, ignoring case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text))
    }

    /// Its page, in Markdown: a title, a sentence on why it matters, what is wrong and what would be right.
    #[must_use]
    pub fn page(self) -> &'static str {
        let file = PAGES.get_file(format!("{}.md", self.as_str()));
        file.and_then(include_dir::File::contents_utf8).unwrap_or_default()
    }

    /// Its subject, in a few words: the title of its page.
    #[must_use]
    pub fn title(self) -> &'static str {
        let first = self.page().lines().next().unwrap_or_default();
        first.split_once(": ").map_or(first, |(_, title)| title)
    }

    /// The reason why it matters, in one sentence: the first paragraph of its page.
    #[must_use]
    pub fn why(self) -> &'static str {
        self.page().split("\n\n").nth(1).unwrap_or_default().trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_that_begins_with_its_title_and_why_it_matters() {
        for code in Code::ALL {
            let name = code.as_str();
            assert!(code.page().starts_with(&format!("# {name}: ")), "docs/codes/{name}.md");
            let why = code.why();
            assert!(why.ends_with('.') && !why.contains('\n') && !why.starts_with('#'), "{name}: {why:?}");
            assert!(code.page().ends_with('\n'), "{name}");
        }
        assert_eq!(PAGES.files().count(), Code::ALL.len(), "a page of a code that is not there");
    }

    #[test]
    fn codes_are_in_order_and_unique() {
        let texts: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert!(texts.is_sorted_by(|a, b| a < b), "{texts:?}");
        assert_eq!(Code::parse("lc101"), Some(Code::UnknownKey));
        assert_eq!(Code::parse("LC999"), None);
    }
}
