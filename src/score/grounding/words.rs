//! The words that cannot stand alone as evidence, and the small words around them.
//! Folded forms, English, Spanish, Turkish, Dutch and German. They are about language, not about a medical field.

/// What a listed word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordClass {
    /// Says that something is there, is not, or is in between.
    Polarity,
    /// Degrees: grades and amounts.
    Degree,
    /// Denies the word after it: not.
    Not,
    /// Denies the thing after it: no, without.
    No,
    /// Denies the word before it: Turkish değil.
    NotBefore,
    /// Joins clauses or names: and, or, but.
    And,
    /// May stand between a name and its value without being about anything else.
    Connector,
    /// Says little about what the text is about: sides, qualifiers.
    Common,
}

/// The list that a folded word is in.
pub(super) fn listed(word: &str) -> Option<WordClass> {
    Some(match word {
        "positive" | "negative" | "pos" | "neg" | "present" | "absent" | "detected" | "undetected"
        | "identified" | "unidentified" | "seen" | "found" | "reactive" | "nonreactive"
        | "immunoreactive" | "equivocal" | "indeterminate" | "borderline" | "inconclusive" | "amplified"
        | "nonamplified" | "mutated" | "mutant" | "wildtype" | "wild" | "methylated" | "unmethylated"
        | "involved" | "uninvolved" | "free" | "clear" | "close" | "stable" | "unstable" | "intact"
        | "lost" | "loss" | "retained" | "preserved" | "normal" | "abnormal" | "yes" | "none" | "unknown"
        | "pending" | "unremarkable" | "benign" | "malignant" | "elevated" | "decreased" | "increased"
        | "reduced" | "expressed" | "expression" | "active" | "inactive" | "complete" | "incomplete"
        | "true" | "false" | "suspicious" | "uncertain" | "performed" | "reported" | "assessed"
        | "applicable" | "received" | "available" | "done" | "na" | "positivo" | "positiva" | "positivos"
        | "positivas" | "negativo" | "negativa" | "negativos" | "negativas" | "presente" | "presentes"
        | "ausente" | "ausentes" | "detectado" | "detectada" | "identificado" | "identificada"
        | "amplificado" | "amplificada" | "mutado" | "mutada" | "metilado" | "metilada" | "libre"
        | "libres" | "afectado" | "afectada" | "conservado" | "conservada" | "estable" | "ninguno"
        | "ninguna" | "si" | "pozitif" | "negatif" | "mevcut" | "yok" | "var" | "saptandi" | "saptanmadi"
        | "izlendi" | "izlenmedi" | "amplifiye" | "stabil" | "positief" | "negatief" | "aanwezig"
        | "afwezig" | "vrij" | "ja" | "nee" | "positiv" | "negativ" | "vorhanden" => WordClass::Polarity,
        "well" | "moderate" | "moderately" | "poor" | "poorly" | "high" | "low" | "intermediate" | "mild"
        | "severe" | "strong" | "strongly" | "weak" | "weakly" | "diffuse" | "diffusely" | "focal"
        | "focally" | "grade" | "stage" | "differentiated" | "undifferentiated" | "partial" | "variable"
        | "alto" | "alta" | "bajo" | "baja" | "bien" | "mal" | "pobremente" | "moderadamente"
        | "moderado" | "moderada" | "diferenciado" | "diferenciada" | "grado" | "fuerte" | "debil"
        | "iyi" | "orta" | "kotu" | "az" | "yuksek" | "dusuk" | "derece" | "diferansiye" | "guclu"
        | "zayif" | "goed" | "matig" | "slecht" | "hoog" | "laag" | "sterk" | "zwak" | "gedifferentieerd" => {
            WordClass::Degree
        }
        "not" | "nicht" | "niet" | "cannot" => WordClass::Not,
        "no" | "without" | "non" | "never" | "neither" | "nor" | "kein" | "keine" | "ohne" | "geen"
        | "zonder" | "sin" | "lacks" | "lack" | "lacking" | "denies" | "rules" | "excludes" => WordClass::No,
        "degil" | "degildir" => WordClass::NotBefore,
        "and" | "or" | "but" | "while" | "whereas" | "however" | "y" | "e" | "o" | "pero" | "ve" | "veya"
        | "ile" | "en" | "maar" | "und" | "oder" | "aber" | "with" => WordClass::And,
        "of"
        | "is"
        | "are"
        | "was"
        | "were"
        | "be"
        | "been"
        | "at"
        | "by"
        | "as"
        | "to"
        | "for"
        | "in"
        | "the"
        | "a"
        | "an"
        | "status"
        | "result"
        | "results"
        | "score"
        | "value"
        | "level"
        | "about"
        | "approximately"
        | "measuring"
        | "measures"
        | "measured"
        | "total"
        | "overall"
        | "histologic"
        | "nuclear"
        | "combined"
        | "staining"
        | "stain"
        | "stains"
        | "immunostain"
        | "immunostaining"
        | "immunohistochemistry"
        | "ihc"
        | "tumor"
        | "tumour"
        | "cells"
        | "cell"
        | "index"
        | "es"
        | "son"
        | "de"
        | "del"
        | "la"
        | "el"
        | "los"
        | "las"
        | "para"
        | "resultado"
        | "skor"
        | "skoru"
        | "sonuc"
        | "het"
        | "een"
        | "voor"
        | "ist"
        | "sind"
        | "der"
        | "die"
        | "das"
        | "fur"
        | "von"
        | "that"
        | "this"
        | "it"
        | "has"
        | "have"
        | "shows"
        | "show"
        | "reads"
        | "equals"
        | "now"
        | "very"
        | "test" => WordClass::Connector,
        "left" | "right" | "bilateral" | "upper" | "lower" | "middle" | "male" | "female" | "masculino"
        | "femenino" | "kadin" | "erkek" | "single" | "multiple" | "large" | "small" | "other" | "only"
        | "some" | "all" | "any" | "derecha" | "derecho" | "izquierda" | "izquierdo" | "sag" | "sol"
        | "daily" | "once" | "twice" | "oral" | "tablet" | "tablets" | "units" | "unit" | "years"
        | "days" | "weeks" | "months" | "year" | "day" | "week" | "month" | "old" | "patient" | "january"
        | "february" | "march" | "april" | "june" | "july" | "august" | "september" | "october"
        | "november" | "december" => WordClass::Common,
        _ => return None,
    })
}

/// Keys that say what kind of value they hold, not what it is about.
pub(super) fn is_generic_key(word: &str) -> bool {
    matches!(
        word,
        "value"
            | "values"
            | "result"
            | "results"
            | "status"
            | "size"
            | "text"
            | "unit"
            | "units"
            | "description"
            | "percent"
            | "percentage"
            | "score"
            | "interpretation"
            | "intensity"
            | "type"
            | "number"
            | "amount"
            | "quantity"
            | "finding"
            | "details"
            | "detail"
            | "comment"
            | "note"
            | "notes"
            | "flag"
            | "level"
            | "reading"
            | "measurement"
            | "dimensions"
            | "expression"
    )
}

/// Keys whose value names what their siblings are about.
pub(super) fn is_label_key(word: &str) -> bool {
    matches!(
        word,
        "name"
            | "test"
            | "testname"
            | "analyte"
            | "marker"
            | "biomarker"
            | "label"
            | "parameter"
            | "component"
            | "gene"
            | "antibody"
            | "site"
            | "location"
            | "structure"
            | "lesion"
            | "drug"
            | "medication"
            | "medicine"
            | "title"
            | "receptor"
            | "item"
    )
}
