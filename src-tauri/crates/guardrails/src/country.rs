//! The countries whose personal numbers are known.

/// A country whose personal numbers are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Country {
    /// Brazil: CPF.
    Br,
    /// China: resident identity number.
    Cn,
    /// Germany: tax identification number.
    De,
    /// Spain: DNI and NIE.
    Es,
    /// France: NIR.
    Fr,
    /// India: Aadhaar.
    In,
    /// Italy: codice fiscale.
    It,
    /// Netherlands: BSN.
    Nl,
    /// Poland: PESEL.
    Pl,
    /// United States: social security number.
    Us,
}

impl Country {
    /// All of them by code.
    pub const ALL: [Self; 10] =
        [Self::Br, Self::Cn, Self::De, Self::Es, Self::Fr, Self::In, Self::It, Self::Nl, Self::Pl, Self::Us];

    /// ISO 3166 code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Br => "BR",
            Self::Cn => "CN",
            Self::De => "DE",
            Self::Es => "ES",
            Self::Fr => "FR",
            Self::In => "IN",
            Self::It => "IT",
            Self::Nl => "NL",
            Self::Pl => "PL",
            Self::Us => "US",
        }
    }

    /// The country of a code.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|country| country.code().eq_ignore_ascii_case(code))
    }
}
