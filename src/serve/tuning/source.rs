//! The interface to profiles that their pages need.

use super::trial::Trial;
use crate::explain::policy::Explanation;
use crate::serve::profiles::ProfileRequest;
use crate::store::{Journal, StoredRun};

/// A profile in words, with the numbers that people may change.
pub(crate) struct ProfileDetails {
    /// Its purpose.
    pub(crate) description: String,
    /// Everything that it does.
    pub(crate) explanation: Explanation,
    /// The numbers of its policy.
    pub(crate) knobs: Vec<Knob>,
}

/// A number of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Knob {
    /// Its path in the profile: `accept.overall`.
    pub(crate) path: String,
    /// As it is written.
    pub(crate) value: String,
    /// The location where it was set: `profiles/clinical.yaml:7`, or `default`.
    pub(crate) origin: String,
}

/// The file of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProfileText {
    /// Its name, as people know it.
    pub(crate) file: String,
    /// Its content.
    pub(crate) text: String,
}

/// The reason why something can't be done with a profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Refused {
    /// The reason.
    pub(crate) message: String,
    /// Advice on what to do.
    pub(crate) help: Option<String>,
    /// The problems of the profile, each on a line.
    pub(crate) problems: Vec<String>,
}

impl Refused {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Refused { message: message.into(), ..Refused::default() }
    }

    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Refused { help: Some(help.into()), ..self }
    }
}

/// Profiles that are explained, tried with other numbers, and saved.
pub(crate) trait ProfileTuning {
    /// The purpose of a profile, in its own words.
    ///
    /// # Errors
    /// The reason why it can't be read.
    fn description(&self, name: &str) -> Result<String, Refused>;

    /// Describes what a profile does.
    ///
    /// # Errors
    /// Its problems.
    fn details(&self, request: &ProfileRequest) -> Result<ProfileDetails, Refused>;

    /// The file of a profile, and its text with the settings of the request and under another name, if one is given.
    ///
    /// # Errors
    /// The reason why it can't be changed automatically.
    fn changed_text(
        &self,
        request: &ProfileRequest,
        name: Option<&str>,
    ) -> Result<(ProfileText, String), Refused>;

    /// The differences on a recorded run, of which at most `most` documents are inspected.
    ///
    /// # Errors
    /// The reason why they are unknown.
    fn tried(
        &self,
        journal: &Journal,
        run: &StoredRun,
        request: &ProfileRequest,
        most: usize,
    ) -> Result<Trial, Refused>;

    /// Saves a text as a new profile of this project. Returns its file.
    ///
    /// # Errors
    /// An invalid or taken name, a text that is no profile, a folder that can't be written.
    fn save(&self, name: &str, text: &str) -> Result<String, Refused>;
}
