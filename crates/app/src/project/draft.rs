//! A project as it is, and as it would be.

use super::change::{Change, How, Refusal};
use super::insert::Unfit;
use crate::diag::Problems;
use crate::plan::Plan;
use crate::profile::{Files, Library, Loaded, available, load};
use std::path::{Path, PathBuf};

/// Schemas of our own YAML formats, which editors read. They ship with loopctl.
pub(super) const EDITOR_SCHEMAS: [&str; 11] = [
    "profile",
    "rules",
    "rubric",
    "extraction",
    "classification",
    "vocabulary",
    "context",
    "prices",
    "scenarios",
    "rule-tests",
    "vocabulary-tests",
];

/// The path of such a schema in a project.
pub(super) fn schema_path(name: &str) -> String {
    format!("schemas/{name}.schema.json")
}

/// A folder with profiles and rules, and the library for what is not in it.
#[derive(Debug, Clone)]
pub struct Project {
    root: PathBuf,
    library: Library,
}

impl Project {
    /// The project in `root`; `library` must look there first.
    #[must_use]
    pub fn new(root: &Path, library: Library) -> Self {
        Project { root: root.to_owned(), library }
    }

    /// Returns whether a file or anything else is there.
    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        self.root.join(path).symlink_metadata().is_ok()
    }

    /// Names of its own profiles, sorted.
    #[must_use]
    pub fn profiles(&self) -> Vec<String> {
        available(&self.library)
            .into_iter()
            .filter(|name| self.has(&format!("profiles/{name}.yaml")))
            .collect()
    }
}

/// A project with changes that are not written yet.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) project: Project,
    pub(super) changes: Vec<Change>,
}

impl Draft {
    pub(super) fn of(project: &Project) -> Self {
        Draft { project: project.clone(), changes: Vec::new() }
    }

    /// The files as they would be.
    pub(super) fn library(&self) -> Library {
        self.changes.iter().fold(self.project.library.clone(), |library, change| {
            library.holding(&change.path, change.text.as_str())
        })
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.project.has(path) || self.changes.iter().any(|change| change.path == path)
    }

    /// Plans a file that must not exist.
    pub(super) fn create(&mut self, path: &str, text: String) -> Result<(), Refusal> {
        if self.has(path) {
            return Err(Refusal::new(format!("`{path}` is there already")).help("choose another name"));
        }
        self.changes.push(Change { path: path.to_owned(), text, how: How::Written });
        Ok(())
    }

    /// The text of a file as it would be; `None` if there is none in the project.
    pub(super) fn own_text(&self, path: &str) -> Result<Option<String>, Refusal> {
        if let Some(change) = self.changes.iter().find(|change| change.path == path) {
            return Ok(Some(change.text.clone()));
        }
        if !self.project.has(path) {
            return Ok(None);
        }
        Ok(self.project.library.read(path)?.map(|file| file.text().to_owned()))
    }

    /// Copies a file that ships (or is in the user's own folder) into the project, unless it is there.
    pub(super) fn bring(&mut self, path: &str) -> Result<bool, Refusal> {
        if self.has(path) {
            return Ok(true);
        }
        let Some(file) = self.project.library.read(path)? else { return Ok(false) };
        let text = file.text().to_owned();
        self.changes.push(Change { path: path.to_owned(), text, how: How::Copied });
        Ok(true)
    }

    /// Changes a file of the project. `by_hand` is the text that a user has to add if `edit` can't.
    pub(super) fn edit(
        &mut self,
        path: &str,
        by_hand: &str,
        edit: impl FnOnce(&str) -> Result<String, Unfit>,
    ) -> Result<(), Refusal> {
        let Some(before) = self.own_text(path)? else {
            return Err(Refusal::new(format!("there is no `{path}` in this project")));
        };
        let text = edit(&before).map_err(|unfit| {
            Refusal::new(format!("`{path}` can't be added to: {unfit}")).by_hand(path, by_hand)
        })?;
        match self.changes.iter_mut().find(|change| change.path == path) {
            Some(change) => change.text = text,
            None => self.changes.push(Change { path: path.to_owned(), text, how: How::Changed { before } }),
        }
        Ok(())
    }

    /// Adds the schemas for editors that the planned files refer to.
    pub(super) fn bring_editor_schemas(&mut self) -> Result<(), Refusal> {
        for name in EDITOR_SCHEMAS {
            let path = schema_path(name);
            if self.changes.iter().any(|change| change.text.contains(&format!("/{path}"))) {
                let file = self.project.library.read(&path)?.filter(|_| !self.has(&path));
                if let Some(file) = file {
                    self.create(&path, file.text().to_owned())?;
                }
            }
        }
        Ok(())
    }

    /// Loads a profile as it would be and compiles it. The process's environment is not read.
    pub(super) fn profile(&self, name: &str) -> Result<(Loaded, Plan), Refusal> {
        let mut problems = Problems::new();
        let loaded = load(name, &self.library(), &[], &|_| None, &mut problems);
        let plan = loaded.as_ref().and_then(|loaded| Plan::check(loaded, &mut problems));
        match (loaded, plan) {
            (Some(loaded), Some(plan)) if !problems.has_errors() => Ok((loaded, plan)),
            _ => Err(Refusal::new(format!("the profile `{name}` can't be used as it is"))
                .help("put this right first; nothing was written")
                .with(problems)),
        }
    }
}
