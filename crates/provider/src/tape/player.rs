//! Picks the exchange that answers a request when a run is replayed.

use std::collections::{BTreeSet, HashMap};

use super::cassette::{Address, Cassette};
use super::recording_key::RecordingKey;
use super::take::RecordedQuestion;

/// The exchanges of a folder, without their contents, and which of them have been played.
#[derive(Debug, Default)]
pub(super) struct Player {
    lists: HashMap<RecordingKey, Vec<Track>>,
    /// Each stage that has an exchange, with the models that it asked.
    models: HashMap<String, BTreeSet<Option<String>>>,
}

#[derive(Debug)]
struct Track {
    stage: String,
    iteration: u32,
    address: Address,
    /// Its index in its file.
    at: usize,
    played: bool,
}

/// The location of the exchange that answers a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExchangePosition {
    pub(super) address: Address,
    /// Its index in its file.
    pub(super) at: usize,
}

impl Player {
    /// Adds what a file holds. The exchanges of a key come in the order of their numbers.
    pub(super) fn add(&mut self, address: Address, cassette: &Cassette) {
        let list = self.lists.entry(address.key.clone()).or_default();
        for (at, exchange) in cassette.exchanges.iter().enumerate() {
            let models = self.models.entry(exchange.stage.clone()).or_default();
            models.insert(cassette.request.model.clone());
            list.push(Track {
                stage: exchange.stage.clone(),
                iteration: exchange.iteration,
                address: address.clone(),
                at,
                played: false,
            });
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lists.values().all(Vec::is_empty)
    }

    /// The next exchange for a question, which is then played: of those that were made for the same stage, one of the
    /// same iteration, else any. Judges and services that are asked the same get their own answers, whichever asks first,
    /// and never another's.
    ///
    /// # Errors
    /// When there is none: a guess at what has changed since.
    pub(super) fn play(&mut self, question: &RecordedQuestion) -> Result<ExchangePosition, String> {
        let mut keys = std::iter::once(&question.key).chain(&question.elsewhere);
        let Some(key) = keys.find(|key| self.lists.contains_key(key)) else {
            return Err(self.guess(question));
        };
        let Some(tracks) = self.lists.get_mut(key) else { return Err(self.guess(question)) };
        let asker = &question.asker;
        let own = || tracks.iter().enumerate().filter(|(_, track)| track.stage == asker.stage);
        let recorded = own().count();
        if recorded == 0 {
            return Err(self.guess(question));
        }
        let left = || own().filter(|(_, track)| !track.played);
        let same = left().find(|(_, track)| track.iteration == asker.iteration);
        let next = same.or_else(|| left().next()).map(|(at, _)| at);
        match next.and_then(|at| tracks.get_mut(at)) {
            Some(track) => {
                track.played = true;
                Ok(ExchangePosition { address: track.address.clone(), at: track.at })
            }
            None => Err(format!(
                "it was recorded {}, and this run asks once more: it may have more documents or retries",
                match recorded {
                    1 => "once".to_owned(),
                    count => format!("{count} times"),
                }
            )),
        }
    }

    fn guess(&self, question: &RecordedQuestion) -> String {
        let stage = &question.asker.stage;
        match self.models.get(stage) {
            None => format!("nothing was recorded for `{stage}`: the profile, or an answer before it, may have changed"),
            Some(models) if !models.contains(&question.summary.model) => {
                let named: Vec<String> = models
                    .iter()
                    .map(|model| {
                        model.as_ref().map_or("no model named".to_owned(), |model| format!("model `{model}`"))
                    })
                    .collect();
                format!("`{stage}` was recorded with {}", named.join(", "))
            }
            Some(_) => {
                "the profile, a prompt, the document, or a setting or the base URL of the provider has changed since it was \
                 recorded, or the recording is not whole"
                    .to_owned()
            }
        }
    }
}
