//! What an admin plans for a product, and the rules that it has to keep.

use super::activity::Product;
use super::money::Cents;
use super::plan::is_name;

/// The longest description, characters.
pub const DESCRIPTION_MAX: usize = 10_000;

/// Everything about a product that an admin may set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProductPlan {
    /// Its name; no other product has the same.
    pub name: String,
    /// Plain text; may be empty.
    pub description: String,
    /// The usual price, shown struck through beside the sale's.
    pub list_price: Option<Cents>,
    /// The file name of its picture.
    pub picture: Option<String>,
}

/// A field of a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProductField {
    /// The name.
    Name,
    /// The description.
    Description,
    /// The usual price.
    ListPrice,
    /// The picture.
    Picture,
}

impl ProductField {
    /// All of them, in the order of a form.
    pub const ALL: [Self; 4] = [Self::Name, Self::Description, Self::ListPrice, Self::Picture];

    /// The word in the audit and in forms.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Description => "description",
            Self::ListPrice => "list_price",
            Self::Picture => "picture",
        }
    }
}

/// A rule that a plan breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ProductFault {
    /// The name's length or characters.
    #[error("name: 1 to 200 characters, no control characters")]
    Name,
    /// Another product has this name.
    #[error("name: another product has it")]
    NameTaken,
    /// The description's length or characters.
    #[error("description: at most 10000 characters, no control characters but line breaks")]
    Description,
    /// The price is none.
    #[error("list price: more than 0 and at most 99999999.99, or none")]
    ListPrice,
}

impl ProductFault {
    /// Where it stands in a form.
    #[must_use]
    pub const fn field(self) -> ProductField {
        match self {
            Self::Name | Self::NameTaken => ProductField::Name,
            Self::Description => ProductField::Description,
            Self::ListPrice => ProductField::ListPrice,
        }
    }
}

impl ProductPlan {
    /// A product's present plan.
    #[must_use]
    pub fn of(product: &Product) -> Self {
        Self {
            name: product.name.clone(),
            description: product.description.clone(),
            list_price: product.list_price,
            picture: product.picture.clone(),
        }
    }

    /// As it is kept: without blanks around the name, with one kind of line break.
    #[must_use]
    pub fn tidied(self) -> Self {
        Self {
            name: self.name.trim().to_owned(),
            description: self.description.replace("\r\n", "\n").trim_end().to_owned(),
            ..self
        }
    }

    /// The rules that this plan breaks, in the order of a form.
    #[must_use]
    pub fn faults(&self) -> Vec<ProductFault> {
        let price = |price: Cents| price > Cents(0) && price <= Cents::MAX;
        let rules = [
            (is_name(&self.name), ProductFault::Name),
            (is_description(&self.description), ProductFault::Description),
            (self.list_price.is_none_or(price), ProductFault::ListPrice),
        ];
        rules.into_iter().filter(|(holds, _)| !holds).map(|(_, fault)| fault).collect()
    }

    /// A field's value as a text; empty when there is none.
    #[must_use]
    pub fn value(&self, field: ProductField) -> String {
        match field {
            ProductField::Name => self.name.clone(),
            ProductField::Description => self.description.clone(),
            ProductField::ListPrice => self.list_price.map(Cents::to_amount).unwrap_or_default(),
            ProductField::Picture => self.picture.clone().unwrap_or_default(),
        }
    }

    /// The fields in which the two differ.
    #[must_use]
    pub fn differing(&self, other: &Self) -> Vec<ProductField> {
        let differs = |field: &ProductField| self.value(*field) != other.value(*field);
        ProductField::ALL.into_iter().filter(differs).collect()
    }
}

fn is_description(text: &str) -> bool {
    let is_plain = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().count() <= DESCRIPTION_MAX && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> ProductPlan {
        ProductPlan {
            name: "Kettle 🫖".into(),
            description: "Boils.\nQuietly.".into(),
            list_price: Some(Cents(1999)),
            picture: None,
        }
    }

    #[test]
    fn each_rule_is_broken_by_its_own_fault_alone() {
        assert_eq!(good().faults(), []);
        let bad = |change: fn(&mut ProductPlan)| {
            let mut plan = good();
            change(&mut plan);
            plan.tidied().faults()
        };
        assert_eq!(bad(|p| p.name = " \u{a0}".into()), [ProductFault::Name]);
        assert_eq!(bad(|p| p.name = "a\nb".into()), [ProductFault::Name]);
        assert_eq!(bad(|p| p.name = "字".repeat(201)), [ProductFault::Name]);
        assert_eq!(bad(|p| p.name = format!(" {} ", "字".repeat(200))), []);
        assert_eq!(bad(|p| p.description = "字".repeat(10_001)), [ProductFault::Description]);
        assert_eq!(bad(|p| p.description = "a\u{0}".into()), [ProductFault::Description]);
        assert_eq!(bad(|p| p.description = "a\u{1b}[31m".into()), [ProductFault::Description]);
        assert_eq!(bad(|p| p.description = "字".repeat(10_000)), []);
        assert_eq!(bad(|p| p.description = String::new()), []);
        assert_eq!(bad(|p| p.list_price = Some(Cents(0))), [ProductFault::ListPrice]);
        assert_eq!(bad(|p| p.list_price = Some(Cents(-1))), [ProductFault::ListPrice]);
        assert_eq!(bad(|p| p.list_price = None), []);
    }

    #[test]
    fn blanks_and_line_breaks_are_kept_in_one_form() {
        let sent = ProductPlan {
            name: "  Kettle\t".into(),
            description: "one\r\ntwo\r\n\r\n".into(),
            ..good()
        };
        let kept = sent.tidied();
        assert_eq!((kept.name.as_str(), kept.description.as_str()), ("Kettle", "one\ntwo"));
    }

    #[test]
    fn two_plans_differ_in_what_was_changed() {
        let other = ProductPlan { list_price: None, name: "Pot".into(), ..good() };
        assert_eq!(good().differing(&other), [ProductField::Name, ProductField::ListPrice]);
        assert_eq!(good().differing(&good()), []);
        assert_eq!(good().value(ProductField::ListPrice), "19.99");
        assert_eq!(other.value(ProductField::ListPrice), "");
    }
}
