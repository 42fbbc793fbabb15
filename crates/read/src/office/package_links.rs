//! Links from a part of an office package to others, by identifiers. Those that lead out of the package are not followed.

use super::office_package::OfficePackage;
use super::office_unread::OfficeFault;
use super::xml_cursor::XmlCursor;
use std::collections::HashMap;

/// The parts that a part links to.
#[derive(Debug, Default)]
pub(super) struct PackageLinks {
    by_id: HashMap<String, String>,
    /// Parts by the last word of the link's type, as `styles` or `sharedStrings`.
    by_type: HashMap<String, String>,
}

impl PackageLinks {
    /// The links of a part.
    pub(super) fn of(package: &mut OfficePackage<'_>, part: &str) -> Result<Self, OfficeFault> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let mut links = PackageLinks::default();
        let Some(text) = package.part(&format!("{folder}/_rels/{file}.rels"))? else { return Ok(links) };
        let mut xml = XmlCursor::new(&text);
        xml.root()?;
        while let Some(tag) = xml.child()? {
            let is_outside = tag.value("TargetMode").is_some_and(|mode| mode == "External");
            if let (Some(id), Some(target), false) = (tag.value("Id"), tag.value("Target"), is_outside) {
                let target = joined(folder, &target);
                let kind = tag.value("Type").unwrap_or_default();
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                links.by_type.entry(kind).or_insert_with(|| target.clone());
                links.by_id.insert(id, target);
            }
            xml.skip()?;
        }
        Ok(links)
    }

    /// The part with this identifier.
    pub(super) fn by_id(&self, id: &str) -> Option<&str> {
        self.by_id.get(id).map(String::as_str)
    }

    /// The first part of this type.
    pub(super) fn by_type(&self, kind: &str) -> Option<&str> {
        self.by_type.get(kind).map(String::as_str)
    }
}

/// The name of a part that is given relative to a folder.
fn joined(folder: &str, target: &str) -> String {
    if target.starts_with('/') {
        return target.to_owned();
    }
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in target.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    names.join("/")
}
