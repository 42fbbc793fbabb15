//! Instances and their calls. Every foreign function that may take long runs on a thread that is not awaited beyond a
//! deadline.
#![expect(unsafe_code, reason = "calls the functions of a plugin's table")]

use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use loopctl_plugin_sdk::abi::{LC_OK, LC_PERMANENT, LC_TRANSIENT};
use loopctl_plugin_sdk::protocol::PluginError;
use tokio::sync::oneshot;

use super::hanging_calls::{HangingCalls, WaiterGuard, check_room};
use super::host::{Payload, PluginHost, Reply, lend, no_buf, take};
use super::{Library, bounded, ending, threads};

const OPEN_LIMIT: Duration = Duration::from_secs(10);
const CLOSE_LIMIT: Duration = Duration::from_secs(2);
/// The time that an answer waits for the plugin to let go of its call.
const END_LIMIT: Duration = Duration::from_secs(1);
/// The time in which a call that was given up may still return: most are late, and few hang. Others wait for it this
/// long.
const LATE_LIMIT: Duration = Duration::from_secs(2);

/// A pointer that only its plugin dereferences.
#[derive(Clone, Copy)]
pub(super) struct Opaque(pub(super) *mut c_void);

// SAFETY: the contract has instances and calls used from any thread; the host only passes the pointer on.
unsafe impl Send for Opaque {}
// SAFETY: as above.
unsafe impl Sync for Opaque {}

impl Opaque {
    // A method, so that closures capture the whole, which may change threads, and not the pointer, which may not.
    pub(super) fn get(self) -> *mut c_void {
        self.0
    }
}

/// An open plugin. Closed when it is no longer held, calls included.
pub(crate) struct Instance {
    library: Arc<Library>,
    raw: Opaque,
    /// Its functions that hang. While one does, it gets no calls.
    hanging_calls: Arc<HangingCalls>,
}

impl Instance {
    /// Opens an instance with `config`, JSON.
    ///
    /// # Errors
    /// The plugin's reply, or one in its place when it takes too long.
    pub(crate) fn open(library: &Arc<Library>, config: Vec<u8>) -> Result<Arc<Self>, Reply> {
        let library = Arc::clone(library);
        bounded(OPEN_LIMIT, move || {
            let open = library.table.open.ok_or_else(|| own(LC_PERMANENT, "no `open`"))?;
            let mut raw = std::ptr::null_mut();
            let mut err = no_buf();
            // SAFETY: arguments as the contract has them; the slice lives until the call returns.
            let status = unsafe { open(lend(&config), &raw mut raw, &raw mut err) };
            // SAFETY: the plugin filled it or left it empty, and hands it over.
            let payload = unsafe { take(err) };
            if status == LC_OK {
                // Opened too late, it is dropped with the unclaimed result, and so closed.
                Ok(Arc::new(Self { library, raw: Opaque(raw), hanging_calls: Arc::default() }))
            } else {
                Err(Reply { status, payload })
            }
        })
        .unwrap_or_else(|problem| Err(own(LC_TRANSIENT, &problem)))
    }

    /// One call of a direct plugin. Dropping the future gives the call up: it is no longer awaited, the plugin is told
    /// so, and what it answers later is dropped.
    pub(crate) async fn complete(self: &Arc<Self>, request: Vec<u8>) -> Reply {
        if let Err(refusal) = self.ready().await {
            return refusal;
        }
        let host = self.library.host;
        let (id, receiver) = host.expect();
        let call = Arc::new(Mutex::new(StartState::NotYet));
        let running = self.hanging_calls.begin();
        let guard = CallGuard {
            instance: Arc::clone(self),
            id,
            call: Arc::clone(&call),
            starting: WaiterGuard(Arc::clone(&running)),
        };
        let instance = Arc::clone(self);
        // `start` is to return at once; a plugin that works in it instead must not hold up the runtime.
        let spawned = threads::run(move || {
            instance.start(host, id, &request, &call);
            running.returned();
        });
        let reply = match spawned {
            Ok(()) => receiver.await.unwrap_or_else(|_| own(LC_PERMANENT, "the call was lost")),
            Err(error) => {
                guard.starting.0.returned();
                own(LC_TRANSIENT, &format!("can't start a thread: {error}"))
            }
        };
        guard.end().await;
        reply
    }

    /// Waits until no function of the plugin hangs, for a moment after it was given up.
    ///
    /// # Errors
    /// When one still does: another call would most likely hang, too, and keep another thread.
    async fn ready(&self) -> Result<(), Reply> {
        check_room().map_err(|problem| own(LC_PERMANENT, &problem))?;
        let left = LATE_LIMIT.saturating_sub(self.hanging_calls.hanging_for());
        if self.hanging_calls.hanging() == 0
            || tokio::time::timeout(left, self.hanging_calls.free()).await.is_ok()
        {
            return Ok(());
        }
        let problem = "an earlier call has not come back from the plugin, which gets no other until it has";
        Err(own(LC_PERMANENT, problem))
    }

    fn start(&self, host: &PluginHost, id: u64, request: &[u8], call: &Mutex<StartState>) {
        let Some(start) = self.library.table.start else {
            return host.deliver(id, own(LC_PERMANENT, "no `start`"));
        };
        let mut raw = std::ptr::null_mut();
        let mut err = no_buf();
        // SAFETY: arguments as the contract has them; the slice lives until the call returns.
        let status = unsafe { start(self.raw.get(), id, lend(request), &raw mut raw, &raw mut err) };
        // SAFETY: the plugin filled it or left it empty, and hands it over.
        let payload = unsafe { take(err) };
        if status != LC_OK {
            return host.deliver(id, Reply { status, payload });
        }
        let mut begun = call.lock().unwrap_or_else(PoisonError::into_inner);
        match *begun {
            StartState::NotYet => *begun = StartState::Running(Opaque(raw)),
            StartState::Over { owed } => {
                drop(begun);
                self.end(Opaque(raw), owed);
            }
            // Only this function says so, once per call.
            StartState::Running(_) => {}
        }
    }

    /// The host is done with a call.
    fn end(&self, call: Opaque, cancel: bool) {
        if call.get().is_null() {
            return;
        }
        if let (true, Some(cancel)) = (cancel, self.library.table.cancel) {
            // SAFETY: it came from `start` and isn't released yet.
            unsafe { cancel(call.get()) };
        }
        if let Some(release) = self.library.table.call_release {
            // SAFETY: it came from `start`, and this is the last use of it.
            unsafe { release(call.get()) };
        }
    }

    /// ENCODE or DECODE of an http plugin. Dropping the future leaves it running, and drops its answer.
    pub(crate) async fn call(self: &Arc<Self>, op: u32, input: Vec<u8>) -> Reply {
        if let Err(refusal) = self.ready().await {
            return refusal;
        }
        let instance = Arc::clone(self);
        let (sender, mut receiver) = oneshot::channel();
        let running = self.hanging_calls.begin();
        let waiting = WaiterGuard(Arc::clone(&running));
        let queued = threads::queue(move || {
            let Some(call) = instance.library.table.call else { return running.returned() };
            // Given up before its turn came.
            if sender.is_closed() {
                return running.returned();
            }
            let mut out = no_buf();
            // SAFETY: arguments as the contract has them; the slice lives until the call returns.
            let status = unsafe { call(instance.raw.get(), op, lend(&input), &raw mut out) };
            // SAFETY: the plugin filled it or left it empty, and hands it over.
            let payload = unsafe { take(out) };
            running.returned();
            let _ = sender.send(Reply { status, payload });
        });
        let queued = match queued {
            Ok(queued) => queued,
            Err(error) => {
                waiting.0.returned();
                return own(LC_TRANSIENT, &format!("can't start a thread: {error}"));
            }
        };
        let lost = |_| own(LC_PERMANENT, "the call was lost");
        tokio::select! {
            biased;
            reply = &mut receiver => return reply.unwrap_or_else(lost),
            () = tokio::time::sleep(threads::SLOW) => queued.overdue(),
        }
        receiver.await.unwrap_or_else(lost)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Some(close) = self.library.table.close {
            let raw = self.raw;
            // SAFETY: it came from `open`, no call holds it, and this is the last use of it.
            // A plugin that hangs here keeps a thread, and nothing else.
            let _ = bounded(CLOSE_LIMIT, move || unsafe { close(raw.get()) });
        }
    }
}

/// The state that the thread that starts a call shares with the one that waits for it.
enum StartState {
    NotYet,
    Running(Opaque),
    /// The call is no longer awaited; `owed` when there was no answer yet.
    Over {
        owed: bool,
    },
}

/// Ends a call on every way out: answered, past its deadline, or given up.
struct CallGuard {
    instance: Arc<Instance>,
    id: u64,
    call: Arc<Mutex<StartState>>,
    /// `start` may not have returned yet.
    starting: WaiterGuard,
}

impl CallGuard {
    /// Ends an answered call, and waits until the plugin knows, but not for one that hangs.
    async fn end(mut self) {
        if let Some((told, _waiting)) = self.tell() {
            let _ = tokio::time::timeout(END_LIMIT, told).await;
        }
    }

    /// Has a thread tell the plugin that the call is no longer awaited, and reports when it has done so; `None` where
    /// there is nothing to tell. A plugin that hangs in `cancel` or `call_release` keeps a thread, but not the deadline
    /// that it missed, the answer that it gave, or the executor.
    fn tell(&mut self) -> Option<(oneshot::Receiver<()>, WaiterGuard)> {
        let owed = self.instance.library.host.forget(self.id);
        let before = {
            let mut begun = self.call.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *begun, StartState::Over { owed })
        };
        let StartState::Running(call) = before else { return None };
        let instance = Arc::clone(&self.instance);
        let (sender, told) = oneshot::channel();
        let telling = ending::NoticeGuard::begin();
        // A plugin that hangs in it gets no other call until it returns.
        let running = self.instance.hanging_calls.begin();
        let waiting = WaiterGuard(Arc::clone(&running));
        let spawned = threads::run(move || {
            instance.end(call, owed);
            running.returned();
            drop(telling);
            let _ = sender.send(());
        });
        if spawned.is_err() {
            waiting.0.returned();
        }
        spawned.is_ok().then_some((told, waiting))
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        let _ = self.tell();
    }
}

/// A failure of the host's own, in the form that plugins use.
fn own(status: i32, message: &str) -> Reply {
    let error = PluginError { message: message.to_owned(), ..PluginError::default() };
    Reply { status, payload: Payload::Bytes(serde_json::to_vec(&error).unwrap_or_default()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopctl_plugin_sdk::abi::{LC_ABI_MAJOR, lc_buf, lc_plugin_v1, lc_slice};

    unsafe extern "C" fn start(
        _: *mut c_void,
        _: u64,
        _: lc_slice,
        call: *mut *mut c_void,
        _: *mut lc_buf,
    ) -> i32 {
        // SAFETY: the host says that it may be written.
        unsafe { call.write(std::ptr::dangling_mut::<u8>().cast()) };
        LC_OK
    }

    unsafe extern "C" fn hang(_: *mut c_void) {
        std::thread::sleep(Duration::from_secs(3600));
    }

    unsafe extern "C" fn nothing(_: *mut c_void) {}

    unsafe extern "C" fn hang_in_call(_: *mut c_void, _: u32, _: lc_slice, _: *mut lc_buf) -> i32 {
        std::thread::sleep(Duration::from_secs(3600));
        LC_OK
    }

    #[tokio::test(start_paused = true)]
    async fn a_plugin_that_hangs_in_a_call_gets_no_other() {
        let table = lc_plugin_v1 {
            size: size_of::<lc_plugin_v1>(),
            abi_major: LC_ABI_MAJOR,
            abi_minor: 0,
            manifest: lc_slice { ptr: std::ptr::null(), len: 0 },
            open: None,
            call: Some(hang_in_call),
            start: None,
            cancel: None,
            call_release: None,
            close: None,
        };
        let library = Arc::new(Library { table, host: PluginHost::leak().0 });
        let instance =
            Arc::new(Instance { library, raw: Opaque(std::ptr::null_mut()), hanging_calls: Arc::default() });
        let call = || tokio::time::timeout(Duration::from_secs(60), instance.call(1, Vec::new()));
        assert!(call().await.is_err());
        for _ in 0..3 {
            let reply = call().await.expect("the plugin was called again");
            let Payload::Bytes(error) = reply.payload else { panic!("more than an error") };
            assert_eq!(reply.status, LC_PERMANENT);
            assert!(String::from_utf8(error).unwrap().contains("has not come back"));
        }
        assert_eq!(instance.hanging_calls.hanging(), 1);
        // A caller with less time than a late call is given learns of it, too, and does not try again and
        // again.
        let hurried = tokio::time::timeout(Duration::from_millis(1), instance.call(1, Vec::new())).await;
        assert_eq!(hurried.unwrap().status, LC_PERMANENT);
    }

    #[test]
    fn a_plugin_that_hangs_in_cancel_does_not_hold_up_the_deadline() {
        let table = lc_plugin_v1 {
            size: size_of::<lc_plugin_v1>(),
            abi_major: LC_ABI_MAJOR,
            abi_minor: 0,
            manifest: lc_slice { ptr: std::ptr::null(), len: 0 },
            open: None,
            call: None,
            start: Some(start),
            cancel: Some(hang),
            call_release: Some(nothing),
            close: Some(nothing),
        };
        let library = Arc::new(Library { table, host: PluginHost::leak().0 });
        let instance =
            Arc::new(Instance { library, raw: Opaque(std::ptr::null_mut()), hanging_calls: Arc::default() });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let call = async {
                tokio::time::timeout(Duration::from_millis(50), instance.complete(Vec::new())).await
            };
            let _ = sender.send(runtime.block_on(call).is_err());
        });
        assert!(receiver.recv_timeout(Duration::from_secs(30)).unwrap());
    }
}
