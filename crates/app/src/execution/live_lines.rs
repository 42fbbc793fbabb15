//! The lines of documents in progress.

use crate::engine::Event;
use crate::plan::Plan;
use crate::profile::LoopPolicy;
use crate::report::{Live, Paint};
use crate::value::DocumentId;
use std::collections::HashMap;
use std::sync::Arc;

/// The lines of documents in progress: of one at a time as they come, of several at once together when a document is
/// over.
pub(super) struct LiveLines {
    policy: Arc<LoopPolicy>,
    paint: Paint,
    shown: bool,
    at_once: bool,
    of_one_candidate: bool,
    open: HashMap<DocumentId, (Live, Vec<String>)>,
}

impl LiveLines {
    pub(super) fn new(plan: &Plan, shown: bool, at_once: bool, of_one_candidate: bool, paint: Paint) -> Self {
        let policy = Arc::clone(&plan.policy);
        LiveLines { policy, paint, shown, at_once, of_one_candidate, open: HashMap::new() }
    }

    pub(super) fn is_shown(&self) -> bool {
        self.shown
    }

    pub(super) fn opening(&mut self, id: &DocumentId, document_type: &str) -> Option<String> {
        if !self.shown {
            return None;
        }
        let live = Live::new(Arc::clone(&self.policy), self.paint);
        let mut live = if self.of_one_candidate { live.of_one_candidate() } else { live };
        let line = live.opening(id, document_type);
        let (line, lines) = if self.at_once { (Some(line), Vec::new()) } else { (None, vec![line]) };
        self.open.insert(id.clone(), (live, lines));
        line
    }

    pub(super) fn line(&mut self, id: &DocumentId, event: &Event) -> Option<String> {
        let (live, lines) = self.open.get_mut(id)?;
        let line = live.line(event)?;
        if self.at_once {
            return Some(line);
        }
        lines.push(line);
        None
    }

    pub(super) fn close(&mut self, id: &DocumentId) -> Option<String> {
        let (_, lines) = self.open.remove(id)?;
        (!lines.is_empty()).then(|| lines.join("\n"))
    }
}
