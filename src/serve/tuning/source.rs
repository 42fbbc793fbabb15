//! What the pages of profiles need of whoever knows profiles.

use super::trial::Trial;
use crate::explain::policy::Explanation;
use crate::serve::profiles::ProfileRequest;
use crate::store::{Journal, StoredRun};

/// A profile in words, with the numbers that people may change.
pub(crate) struct ProfileDetails {
    /// What it is for.
    pub(crate) description: String,
    /// All that it does.
    pub(crate) explanation: Explanation,
    /// The numbers of its policy.
    pub(crate) knobs: Vec<Knob>,
}

/// A number of a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Knob {
    /// Where it stands in the profile: `accept.overall`.
    pub(crate) path: String,
    /// As it is written.
    pub(crate) value: String,
    /// Where it was set: `profiles/clinical.yaml:7`, or `default`.
    pub(crate) origin: String,
}

/// The file of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProfileText {
    /// Its name, as people know it.
    pub(crate) file: String,
    /// What is in it.
    pub(crate) text: String,
}

/// Why something can't be done with a profile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Why.
    pub(crate) message: String,
    /// What to do.
    pub(crate) help: Option<String>,
    /// What is wrong with the profile, each in a line.
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
    /// What a profile is for, as it says itself.
    ///
    /// # Errors
    /// Why it can't be read.
    fn description(&self, name: &str) -> Result<String, Refused>;

    /// What a profile does.
    ///
    /// # Errors
    /// What is wrong with it.
    fn details(&self, request: &ProfileRequest) -> Result<ProfileDetails, Refused>;

    /// The file of a profile, and the same with the settings of the request in it and under another name, if one is given.
    ///
    /// # Errors
    /// Why it must be changed by hand.
    fn changed_text(
        &self,
        request: &ProfileRequest,
        name: Option<&str>,
    ) -> Result<(ProfileText, String), Refused>;

    /// What would differ on a recorded run, of which at most so many documents are looked at.
    ///
    /// # Errors
    /// Why that can't be said.
    fn tried(
        &self,
        journal: &Journal,
        run: &StoredRun,
        request: &ProfileRequest,
        most: usize,
    ) -> Result<Trial, Refused>;

    /// Keeps a text as a profile of this project that is not there yet. Returns its file.
    ///
    /// # Errors
    /// A name that can't be or is taken, a text that is no profile, a folder that can't be written.
    fn save(&self, name: &str, text: &str) -> Result<String, Refused>;
}
