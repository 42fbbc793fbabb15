//! Scenario tests: the demands of a domain expert on a profile or a rule, beside the file that must meet them.
//!
//! `profiles/NAME.test.yaml` has cases of a profile ([`ScenarioFile`]), `rules/NAME.test.yaml` those of a file of rules
//! ([`RuleCases`]), `rules/vocabularies/NAME.test.yaml` texts that a vocabulary must read ([`VocabularyCases`]).
//! [`test_profile`], [`test_rules`] and [`test_vocabulary`] run them with the very engine that runs documents, and
//! `survivors` finds changes of a profile that no case notices.

mod case;
mod expect;
mod expect_text;
mod keys;
mod matching;
mod mutants;
mod play;
mod rule_cases;
mod subject;
mod suite;
mod survivors;
mod verify;
mod vocabulary_cases;

pub(crate) use case::read_settings;
pub use case::{Case, CaseInput, ScenarioFile};
pub use expect::{Expect, ExpectedAssessment, ExpectedIssue, Fact};
pub use expect_text::{AskedOf, ExpectedRequest, ExpectedText};
pub use matching::Difference;
pub use mutants::{Mutant, mutants};
pub use rule_cases::{RuleCase, RuleCases, test_rules};
pub use subject::subjects;
pub use subject::{TestTarget, find_subject};
pub use suite::Unusable;
pub use suite::{CaseResult, Choice, Suite, SuiteKind, Verdict, test_profile};
pub use survivors::{Fate, Guarded, Mutation, survivors};
pub use vocabulary_cases::{VocabularyCase, VocabularyCases, test_vocabulary};
