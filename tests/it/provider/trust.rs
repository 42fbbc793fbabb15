//! The libraries that may run.

use std::path::{Path, PathBuf};

use loopctl::provider::{PluginPaths, ProviderError, Providers, TrustState};
use serde_json::Value;

use super::bed::{Bed, library_name};

/// An installation of its own, with `well_behaved` beside the executable, and an unwritable home beside it.
fn installed(bed: &Bed) -> (Providers, PathBuf) {
    let exe = bed.write("prefix/bin/loopctl", "").canonicalize().unwrap();
    let library = bed.compile("well_behaved", "prefix/bin/plugins");
    let paths = PluginPaths { search: vec![], home: Some(bed.path("home")), exe: Some(exe) };
    (Providers::new(paths), library)
}

fn open(providers: &Providers, path: &Path) -> Result<(), ProviderError> {
    providers.open(path.to_str().unwrap(), &Value::Null).map(drop)
}

#[cfg(unix)]
fn chmod(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn what_is_installed_is_trusted() {
    let bed = Bed::new();
    let (providers, library) = installed(&bed);
    assert_eq!(providers.inspect(&library).unwrap().trust, TrustState::Installation);
    providers.open("well_behaved", &Value::Null).unwrap();
    providers.open("well-behaved", &Value::Null).unwrap();
    assert!(!bed.path("home").exists());

    let lib = bed.compile("never", "prefix/lib/loopctl/plugins");
    assert_eq!(providers.inspect(&lib).unwrap().trust, TrustState::Installation);
    let names: Vec<_> = providers.list().into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["never", "well_behaved"]);
}

#[test]
fn anything_else_needs_an_entry() {
    let bed = Bed::new();
    let (providers, _) = installed(&bed);
    let library = bed.compile("twice", "elsewhere");
    let error = open(&providers, &library).unwrap_err();
    assert!(matches!(error, ProviderError::Untrusted { .. }), "{error}");
    assert!(error.help().contains("loopctl plugin trust"), "{}", error.help());

    let trusted = providers.trust(&library).unwrap();
    assert_eq!((trusted.plugin.trust, trusted.replaced), (TrustState::Locked, None));
    open(&providers, &library).unwrap();

    // Moved, it is still the same code.
    let moved = bed.path("moved.so");
    std::fs::rename(&library, &moved).unwrap();
    open(&providers, &moved).unwrap();
}

#[test]
fn a_link_into_the_installation_leads_to_what_it_points_at() {
    let bed = Bed::new();
    let (providers, _) = installed(&bed);
    let library = bed.compile("twice", "elsewhere");
    #[cfg(unix)]
    {
        let link = bed.path("prefix/bin/plugins").join(library_name("twice"));
        std::os::unix::fs::symlink(&library, &link).unwrap();
        assert!(matches!(open(&providers, &link), Err(ProviderError::Untrusted { .. })));
    }
}

#[test]
fn a_changed_library_is_refused_with_both_digests() {
    let bed = Bed::new();
    let (providers, _) = installed(&bed);
    let library = bed.compile("twice", "elsewhere");
    let before = providers.trust(&library).unwrap().plugin.digest;
    let mut bytes = std::fs::read(&library).unwrap();
    bytes.push(0);
    std::fs::write(&library, bytes).unwrap();
    let after = providers.inspect(&library).unwrap().digest;
    assert_ne!(before, after);
    let error = open(&providers, &library).unwrap_err();
    assert!(matches!(error, ProviderError::Changed { .. }), "{error}");
    assert!(error.to_string().contains(&before) && error.to_string().contains(&after), "{error}");

    assert_eq!(providers.trust(&library).unwrap().replaced, Some(before));
    open(&providers, &library).unwrap();
}

#[cfg(unix)]
#[test]
fn what_others_may_write_is_not_part_of_the_installation() {
    let bed = Bed::new();
    let (providers, library) = installed(&bed);
    let folder = library.parent().unwrap();
    for (path, loose, tight) in [(library.as_path(), 0o666, 0o644), (folder, 0o777, 0o755)] {
        chmod(path, loose);
        let error = open(&providers, &library).unwrap_err();
        assert!(matches!(error, ProviderError::Untrusted { .. }), "{error}");
        assert!(error.to_string().contains("others may write"), "{error}");
        chmod(path, tight);
        open(&providers, &library).unwrap();
    }
}

/// Returns whether files that are made here belong to a group of their user alone, which may write them.
#[cfg(unix)]
fn has_own_group(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(path).unwrap();
    found.uid() == found.gid() && found.uid() != 0
}

#[cfg(unix)]
#[test]
fn what_a_group_may_write_is_trusted_no_more() {
    let bed = Bed::new();
    let (providers, library) = installed(&bed);
    let other = bed.compile("twice", "elsewhere");
    let lock = providers.trust(&other).unwrap().lock_file;
    if has_own_group(&library) {
        return;
    }
    for (path, loose, tight) in [(library.as_path(), 0o664, 0o644), (library.parent().unwrap(), 0o775, 0o755)]
    {
        chmod(path, loose);
        let error = open(&providers, &library).unwrap_err();
        assert!(matches!(error, ProviderError::Untrusted { .. }), "{error}");
        assert!(error.to_string().contains("of the group"), "{error}");
        chmod(path, tight);
        open(&providers, &library).unwrap();
    }
    for (path, loose, tight) in [(lock.as_path(), 0o660, 0o600), (lock.parent().unwrap(), 0o775, 0o755)] {
        chmod(path, loose);
        assert!(matches!(open(&providers, &other), Err(ProviderError::Lock { .. })));
        chmod(path, tight);
        open(&providers, &other).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_lock_file_in_an_open_folder_counts_for_nothing_whatever_leads_there() {
    let bed = Bed::new();
    let (providers, _) = installed(&bed);
    let library = bed.compile("twice", "elsewhere");
    let lock = providers.trust(&library).unwrap().lock_file;
    let there = bed.write("open/plugins.lock", "");
    std::fs::rename(&lock, &there).unwrap();
    std::os::unix::fs::symlink(&there, &lock).unwrap();
    open(&providers, &library).unwrap();
    chmod(there.parent().unwrap(), 0o777);
    let error = open(&providers, &library).unwrap_err();
    assert!(matches!(error, ProviderError::Lock { .. }), "{error}");
    assert!(error.to_string().contains("open"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_the_lock_file_is_not_waited_for() {
    let bed = Bed::new();
    let (providers, _) = installed(&bed);
    let library = bed.compile("twice", "elsewhere");
    let lock = providers.trust(&library).unwrap().lock_file;
    std::fs::remove_file(&lock).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&lock).status().unwrap().success());
    let error = open(&providers, &library).unwrap_err();
    assert!(error.to_string().contains("a named pipe"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_lock_file_that_others_may_write_counts_for_nothing() {
    let bed = Bed::new();
    let (providers, _) = installed(&bed);
    let library = bed.compile("twice", "elsewhere");
    let lock = providers.trust(&library).unwrap().lock_file;
    chmod(&lock, 0o666);
    assert!(matches!(open(&providers, &library), Err(ProviderError::Lock { .. })));
    chmod(&lock, 0o600);
    chmod(lock.parent().unwrap(), 0o777);
    assert!(matches!(open(&providers, &library), Err(ProviderError::Lock { .. })));
    chmod(lock.parent().unwrap(), 0o755);
    open(&providers, &library).unwrap();
}

#[test]
fn a_broken_lock_file_is_an_error_that_names_it() {
    let bed = Bed::new();
    let (providers, installed) = installed(&bed);
    let library = bed.compile("twice", "elsewhere");
    for text in ["", "{", "[]", r#"{"version": 9, "plugins": []}"#, "\u{0}"] {
        bed.write("home/plugins.lock", text);
        let error = open(&providers, &library).unwrap_err();
        assert!(matches!(error, ProviderError::Lock { .. }), "{text:?}: {error}");
        assert!(error.to_string().contains("plugins.lock"), "{error}");
        // Nothing is overwritten that can't be understood, and the installation doesn't need it.
        assert!(matches!(providers.trust(&library), Err(ProviderError::Lock { .. })));
        open(&providers, &installed).unwrap();
    }
}

#[test]
fn a_home_that_can_not_be_written_is_an_error_that_says_so() {
    let bed = Bed::new();
    let exe = bed.write("prefix/bin/loopctl", "");
    let library = bed.compile("twice", "elsewhere");
    // A file where the folder ought to be stops root too, as a read-only folder would not.
    let home = bed.write("home", "");
    for home in [None, Some(home.join("below"))] {
        let providers = Providers::new(PluginPaths { search: vec![], home, exe: Some(exe.clone()) });
        let error = providers.trust(&library).unwrap_err();
        assert!(matches!(error, ProviderError::Home { .. }), "{error}");
        assert!(error.help().contains("LOOPCTL_HOME"));
    }
}

#[test]
fn a_file_must_be_what_its_name_says() {
    let bed = Bed::new();
    let (providers, library) = installed(&bed);
    std::fs::rename(&library, library.with_file_name(library_name("pattern"))).unwrap();
    let error = providers.open("pattern", &Value::Null).unwrap_err();
    assert!(matches!(error, ProviderError::WrongName { .. }), "{error}");
}

#[test]
fn the_search_path_comes_first() {
    let bed = Bed::new();
    let (_, library) = installed(&bed);
    let nearer = bed.compile("well_behaved", "nearer");
    let exe = bed.path("prefix/bin/loopctl").canonicalize().unwrap();
    let paths = PluginPaths { search: vec![bed.path("nearer")], home: None, exe: Some(exe) };
    let providers = Providers::new(paths);
    assert_eq!(providers.path_of("well_behaved").unwrap(), nearer);
    // The very bytes of the installation, in a place that isn't: found first, and not trusted.
    assert_eq!(std::fs::read(&nearer).unwrap(), std::fs::read(&library).unwrap());
    assert!(matches!(providers.open("well_behaved", &Value::Null), Err(ProviderError::Untrusted { .. })));
}
