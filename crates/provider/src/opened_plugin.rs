//! The instance of a plugin that takes a provider's calls. One that has panicked is replaced by a fresh one, once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::{CallError, FailureKind};
use super::plugin::{Instance, Library, Reply};
use super::reply::fault_of;

/// An opened plugin, with what it takes to open it again.
pub(super) struct OpenedPlugin {
    library: Arc<Library>,
    config: Vec<u8>,
    current: Mutex<CurrentInstance>,
    /// Held by the one call that opens it again; others that need it wait.
    reopening: tokio::sync::Mutex<()>,
}

struct CurrentInstance {
    instance: Arc<Instance>,
    health: InstanceHealth,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum InstanceHealth {
    /// Never panicked.
    Well,
    /// Panicked, and will be opened again.
    Poisoned,
    /// Opened again after a panic.
    Reopened,
    /// Panicked again.
    Dead,
}

impl OpenedPlugin {
    /// Opens the plugin. `config` is its configuration as JSON.
    ///
    /// # Errors
    /// The plugin's reply, when it can't be opened.
    pub(super) fn new(library: Arc<Library>, config: Vec<u8>) -> Result<Self, Reply> {
        let instance = Instance::open(&library, config.clone())?;
        let current = Mutex::new(CurrentInstance { instance, health: InstanceHealth::Well });
        Ok(Self { library, config, current, reopening: tokio::sync::Mutex::new(()) })
    }

    pub(super) fn library(&self) -> &Library {
        &self.library
    }

    /// Its configuration as JSON.
    pub(super) fn config(&self) -> &[u8] {
        &self.config
    }

    /// The instance to call. Can be dropped at any time.
    ///
    /// # Errors
    /// When the plugin has panicked twice, or could not be opened again.
    pub(super) async fn instance(&self) -> Result<Arc<Instance>, CallError> {
        if let Some(known) = self.known() {
            return known;
        }
        let _alone = self.reopening.lock().await;
        // Another call may have done it in the meantime.
        if let Some(known) = self.known() {
            return known;
        }
        let (library, config) = (Arc::clone(&self.library), self.config.clone());
        let opened = tokio::task::spawn_blocking(move || Instance::open(&library, config)).await;
        let opened = match opened {
            Ok(opened) => opened.map_err(|reply| fault_of(&reply).message),
            Err(_) => Err("its thread was lost".to_owned()),
        };
        match opened {
            Ok(fresh) => {
                let old = {
                    let mut current = self.current();
                    current.health = InstanceHealth::Reopened;
                    std::mem::replace(&mut current.instance, Arc::clone(&fresh))
                };
                // Closing it may take a moment.
                tokio::task::spawn_blocking(move || drop(old));
                Ok(fresh)
            }
            Err(why) => {
                self.current().health = InstanceHealth::Dead;
                // There is no second attempt at opening it again.
                Err(panicked(format!("the plugin panicked and can't be opened again: {why}")))
            }
        }
    }

    /// The instance, or why there is none; `None` when it is to be opened again.
    fn known(&self) -> Option<Result<Arc<Instance>, CallError>> {
        let current = self.current();
        match current.health {
            InstanceHealth::Well | InstanceHealth::Reopened => Some(Ok(Arc::clone(&current.instance))),
            InstanceHealth::Dead => {
                Some(Err(panicked("the plugin has panicked twice and takes no more calls")))
            }
            InstanceHealth::Poisoned => None,
        }
    }

    /// Notes that a call of this instance ended in a panic.
    pub(super) fn poison(&self, instance: &Arc<Instance>) {
        let mut current = self.current();
        // Calls of the old instance may still fail after it has been replaced.
        if Arc::ptr_eq(&current.instance, instance) {
            current.health = match current.health {
                InstanceHealth::Well | InstanceHealth::Poisoned => InstanceHealth::Poisoned,
                InstanceHealth::Reopened | InstanceHealth::Dead => InstanceHealth::Dead,
            };
        }
    }

    fn current(&self) -> MutexGuard<'_, CurrentInstance> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn panicked(message: impl Into<String>) -> CallError {
    CallError::new(FailureKind::Panic, message)
}
