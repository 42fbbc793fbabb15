//! Puts the inputs of a run into its queue, as they are found.

use super::{Inputs, queued};
use crate::ingest::{Input, InputError};
use crate::store::{DocumentKey, DocumentStage, EnqueueOutcome, Journal, RunId, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// The number of inputs that are put into the queue together.
const TOGETHER: usize = 256;

/// The number of the first inputs, which are put there sooner so that the first call is not kept waiting.
const FIRST: usize = 16;

/// The outcome of listing some inputs.
#[derive(Debug, Default)]
pub(super) struct ListedInputs {
    /// Those that can't be used.
    pub(super) unusable: Vec<InputError>,
    /// Those that were named before.
    pub(super) repeated: usize,
    /// Documents that were finished before and are as they were.
    pub(super) finished: Vec<DocumentKey>,
}

/// The listing at work on a thread of its own.
pub(super) struct Listing {
    listed: Receiver<Result<ListedInputs, StoreError>>,
    over: bool,
    stop: Arc<AtomicBool>,
}

impl Listing {
    /// Begins to list. Without inputs, all are listed already.
    pub(super) fn begin(
        journal: &Arc<Journal>,
        run: &RunId,
        inputs: Option<Inputs>,
        (folder, goes_on): (Option<String>, bool),
    ) -> Self {
        let (told, listed) = channel(4);
        let stop = Arc::new(AtomicBool::new(false));
        let over = inputs.is_none();
        if let Some(inputs) = inputs {
            let lister = Lister {
                journal: Arc::clone(journal),
                run: run.clone(),
                folder,
                goes_on,
                stop: Arc::clone(&stop),
                listed: ListedInputs::default(),
            };
            tokio::task::spawn_blocking(move || lister.list(inputs, &told));
        }
        Listing { listed, over, stop }
    }

    /// Returns whether every input is in the queue.
    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Waits for the outcome of the next inputs; forever when all are listed. Can be dropped.
    pub(super) async fn more(&mut self) -> Result<ListedInputs, StoreError> {
        if self.over {
            return std::future::pending().await;
        }
        match self.listed.recv().await {
            Some(listed) => listed,
            None => {
                self.over = true;
                Ok(ListedInputs::default())
            }
        }
    }

    /// Ends the listing. Inputs not listed by then are listed when the run is resumed.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

struct Lister {
    journal: Arc<Journal>,
    run: RunId,
    folder: Option<String>,
    goes_on: bool,
    stop: Arc<AtomicBool>,
    listed: ListedInputs,
}

impl Lister {
    fn list(mut self, inputs: Inputs, told: &Sender<Result<ListedInputs, StoreError>>) {
        let mut together = Vec::with_capacity(TOGETHER);
        let mut most = FIRST;
        for input in inputs {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            match input {
                Ok(input) => together.push(input),
                Err(error) => self.listed.unusable.push(error),
            }
            if together.len() + self.listed.unusable.len() >= most {
                most = TOGETHER;
                let put = self.put(&mut together);
                let failed = put.is_err();
                // The batch is behind, and is waited for; or it is gone.
                if told.blocking_send(put.map(|()| std::mem::take(&mut self.listed))).is_err() || failed {
                    return;
                }
            }
        }
        let put = self.put(&mut together).and_then(|()| self.journal.set_listed(&self.run));
        let _ = told.blocking_send(put.map(|()| self.listed));
    }

    fn put(&mut self, together: &mut Vec<Input>) -> Result<(), StoreError> {
        let inputs = std::mem::take(together);
        let documents: Vec<_> = inputs.iter().map(queued::document_of).collect();
        let queued = self.journal.enqueue(&self.run, self.folder.as_deref(), &documents)?;
        for (input, queued) in inputs.into_iter().zip(queued) {
            match queued {
                EnqueueOutcome::Added => {}
                // It was named twice.
                EnqueueOutcome::Known { .. } if !self.goes_on => self.listed.repeated += 1,
                EnqueueOutcome::Split { .. } if !self.goes_on => self.listed.repeated += 1,
                EnqueueOutcome::Split { document, source_digest } => {
                    self.known_file(&input, document, &source_digest)?;
                }
                EnqueueOutcome::Known { document, stage, source_digest, .. } => {
                    self.known(&input, document, stage, &source_digest)?;
                }
                EnqueueOutcome::Elsewhere { run } => {
                    self.listed.unusable.push(InputError::AtWorkElsewhere {
                        origin: input.origin().clone(),
                        run: run.to_string(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Takes in the sections of a file that was split. Those of one that has changed since are none of its sections.
    fn known_file(
        &mut self,
        input: &Input,
        file: DocumentKey,
        source_digest: &str,
    ) -> Result<(), StoreError> {
        if !input.digest().is_ok_and(|digest| digest == source_digest) {
            self.listed.unusable.push(InputError::Changed { origin: input.origin().clone() });
            return Ok(());
        }
        for section in self.journal.sections_of(file)? {
            match section.stage {
                DocumentStage::Finished => self.listed.finished.push(section.document),
                DocumentStage::Failed | DocumentStage::GivenUp => {
                    self.journal.requeue(section.document, false)?;
                }
                DocumentStage::Waiting | DocumentStage::Running | DocumentStage::Parked => {}
            }
        }
        Ok(())
    }

    /// Takes in a document of the run. If it was finished and its text has changed since, it is done anew.
    fn known(
        &mut self,
        input: &Input,
        document: DocumentKey,
        stage: DocumentStage,
        source_digest: &str,
    ) -> Result<(), StoreError> {
        match stage {
            DocumentStage::Finished => {
                if input.digest().is_ok_and(|digest| digest == source_digest) {
                    self.listed.finished.push(document);
                    return Ok(());
                }
                self.journal.requeue(document, true)
            }
            // A user asks for it again.
            DocumentStage::Failed | DocumentStage::GivenUp => self.journal.requeue(document, false),
            DocumentStage::Waiting | DocumentStage::Running | DocumentStage::Parked => Ok(()),
        }
    }
}
