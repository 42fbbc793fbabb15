//! Files that a document type should have but lacks: a mistake of whoever names the type, where the path ships with
//! loopctl.

use super::stage_plan::{PlanReader, path_for};
use crate::diag::{Code, Level, Problem, Problems, Span, nearest};
use crate::profile::Measure;
use crate::rules::Inheritance;
use crate::value::decode::Spanned;
use crate::value::yaml::Data;

/// The places in which named files are looked for.
const LOOKED_FOR: &str = "it is looked for beside the profile, in the working directory, in $LOOPCTL_HOME and among the shipped files";

impl PlanReader<'_> {
    /// The file in the same folder whose name is nearest, of those that may be meant.
    pub(super) fn schema_like(&self, path: &str, may_be: impl Fn(&str) -> bool) -> Option<String> {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let known = self.files.list(folder, ".json");
        nearest(path, known.iter().map(String::as_str).filter(|known| may_be(known))).map(str::to_owned)
    }

    /// A schema that does not exist, with the place that its type comes from.
    pub(super) fn missing_schema(
        &self,
        path: &str,
        document_type: &str,
        output: &Spanned<String>,
    ) -> Problem {
        let with_type = path_for(&output.value, "", &output.span, &mut Problems::new());
        let message = format!("there is no file `{path}`");
        if with_type.as_deref() == Some(path) || self.place_of_type(document_type).is_none() {
            let problem = Problem::error(Code::MissingFile, &output.span, message);
            return problem.help(match self.schema_like(path, |_| true) {
                Some(guess) => format!("did you mean `{guess}`?"),
                None => LOOKED_FOR.to_owned(),
            });
        }
        // The schema of another type, or a shipped one, was not meant, unless the names differ by a typo.
        let taken: Vec<String> = self
            .types
            .iter()
            .filter_map(|other| path_for(&output.value, other, &output.span, &mut Problems::new()))
            .collect();
        let may_be = |known: &str| {
            let is_slip = strsim::damerau_levenshtein(path, known) <= 2;
            (is_slip || !taken.iter().any(|path| path == known))
                && self.files.read(known).is_ok_and(|file| file.is_some_and(|file| !file.is_shipped()))
        };
        self.missing(Level::Error, message, document_type, output).help(
            match self.schema_like(path, may_be) {
                Some(guess) => format!("did you mean `{guess}`?"),
                None => format!("write it, or take the type `{document_type}` out; {LOOKED_FOR}"),
            },
        )
    }

    /// Patterns that do not exist. Providers with a model need none, so this is not an error.
    pub(super) fn missing_patterns(
        &self,
        path: &str,
        document_type: &str,
        declared: &Spanned<String>,
    ) -> Problem {
        let message = format!("there is no file `{path}`");
        self.missing(Level::Warning, message, document_type, declared)
            .help(format!("without it the provider `pattern` finds nothing in a {document_type}"))
    }

    /// A file that a type lacks: reported at the path that names it, or at the type where that path ships with loopctl,
    /// since no one here wrote it wrong.
    fn missing(&self, level: Level, message: String, document_type: &str, path: &Spanned<String>) -> Problem {
        let at = |span: &Span, message| Problem { level, ..Problem::error(Code::MissingFile, span, message) };
        match self.place_of_type(document_type) {
            Some(span) if path.span.file().is_shipped() && !span.file().is_shipped() => at(&span, message)
                .label(format!("the document type `{document_type}` needs it"))
                .related(&path.span, "this path is filled in with the type"),
            Some(span) => at(&path.span, message)
                .related(&span, format!("the document type `{document_type}` is from here")),
            None => at(&path.span, message),
        }
    }

    /// The position at which a rubric or the classification lists a type.
    fn place_of_type(&self, document_type: &str) -> Option<Span> {
        let rubrics = self.dimensions.iter().flat_map(|dimension| dimension.measure.parts());
        let rubrics = rubrics.filter_map(|measure| match measure {
            Measure::Rubric { name } => Some((Inheritance::RUBRICS, name.value.as_str(), "types")),
            _ => None,
        });
        let given = self.classify.map(|name| (Inheritance::CLASSIFICATIONS, name, "classify"));
        rubrics.chain(given).find_map(|(lineage, name, key)| {
            let file = self.files.read(&format!("{}/{name}.yaml", lineage.folder)).ok().flatten()?;
            let root = lineage.read(&file, self.files, &mut Problems::new())?;
            match &root.get(key)?.data {
                Data::Map(types) => types.iter().find(|e| e.key == document_type).map(|e| e.key_span.clone()),
                _ => None,
            }
        })
    }
}
