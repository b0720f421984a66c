//! The form of the purchase page.

use super::{
    fields::{BadForm, Fields},
    form::FromFields,
    path::TOKEN_MAX,
};
use crate::captcha::normalized;

/// What a shopper sends to buy.
#[derive(Debug, PartialEq, Eq)]
pub struct PurchaseForm {
    /// The ticket's token, as it came: the gate says whether it is one.
    pub ticket: String,
    /// What was read in the picture; none when the form has no such field.
    pub captcha: Option<String>,
}

/// Far longer than any picture's text.
const CAPTCHA_MAX: usize = 128;

impl FromFields for PurchaseForm {
    fn from_fields(fields: &mut Fields) -> Result<Self, BadForm> {
        let ticket = fields.require("ticket", TOKEN_MAX)?;
        let captcha = fields.take("captcha")?;
        if captcha.as_ref().is_some_and(|typed| typed.len() > CAPTCHA_MAX) {
            return Err(BadForm::TooLong);
        }
        Ok(Self { ticket, captcha: captcha.map(|typed| normalized(&typed)) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<PurchaseForm, BadForm> {
        PurchaseForm::from_fields(&mut Fields::parse(body.as_bytes())?)
    }

    #[test]
    fn an_answer_is_taken_as_a_person_means_it() {
        for typed in ["ab3d", "AB3D", "+a+b+3d+", "ａＢ３ｄ", "ab3d%0A", "　ab3d"] {
            let form = read(&format!("ticket=t&captcha={typed}")).expect("a form");
            assert_eq!(form.captcha.as_deref(), Some("ab3d"), "{typed}");
        }
    }

    #[test]
    fn fields_that_no_form_of_ours_sends_are_refused() {
        assert_eq!(read("captcha=x"), Err(BadForm::Missing));
        assert_eq!(read(&format!("ticket={}", "t".repeat(129))), Err(BadForm::TooLong));
        assert_eq!(read(&format!("ticket=t&captcha={}", "x".repeat(129))), Err(BadForm::TooLong));
        assert_eq!(read("ticket=t&ticket=t"), Err(BadForm::Twice));
        assert_eq!(read("ticket=t").map(|form| form.captcha), Ok(None));
    }
}
