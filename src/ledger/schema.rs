//! The ledger's tables, as the migrations make them.
#![allow(missing_docs, reason = "the columns are described in the migrations")]

diesel::table! {
    users (id) {
        id -> BigInt,
        username -> Varchar,
        username_key -> Varchar,
        password_hash -> Varchar,
        role -> Varchar,
        epoch -> BigInt,
        disabled_at -> Nullable<Datetime>,
        created_at -> Datetime,
        updated_at -> Datetime,
    }
}

diesel::table! {
    products (id) {
        id -> BigInt,
        name -> Varchar,
        description -> Text,
        list_price_cents -> Nullable<BigInt>,
        picture -> Nullable<Varchar>,
        archived_at -> Nullable<Datetime>,
        version -> BigInt,
    }
}

diesel::table! {
    activities (id) {
        id -> BigInt,
        product_id -> BigInt,
        title -> Varchar,
        price_cents -> BigInt,
        total_stock -> BigInt,
        remain_stock -> BigInt,
        status -> Varchar,
        starts_at -> Datetime,
        ends_at -> Datetime,
        version -> BigInt,
        fence -> BigInt,
        gate_epoch -> BigInt,
        captcha -> Bool,
        rebuy -> Bool,
        bucket_count -> Unsigned<SmallInt>,
        pay_within_s -> BigInt,
        rate_per_s -> BigInt,
        total_rate_per_s -> Nullable<BigInt>,
        published_at -> Nullable<Datetime>,
    }
}

diesel::table! {
    orders (id) {
        id -> BigInt,
        order_no -> Char,
        user_id -> BigInt,
        product_id -> BigInt,
        activity_id -> BigInt,
        bucket -> Unsigned<SmallInt>,
        epoch -> BigInt,
        price_cents -> BigInt,
        currency -> Char,
        status -> TinyInt,
        reason -> Nullable<Varchar>,
        holder_id -> Nullable<BigInt>,
        request_id -> Varchar,
        reserved_at -> Datetime,
        created_at -> Datetime,
        pay_before -> Datetime,
        paid_at -> Nullable<Datetime>,
        cancelled_at -> Nullable<Datetime>,
    }
}

diesel::table! {
    order_events (id) {
        id -> BigInt,
        order_no -> Char,
        kind -> Varchar,
        actor -> Varchar,
        reason -> Nullable<Varchar>,
        request_id -> Varchar,
        at -> Datetime,
    }
}

diesel::table! {
    dead_letters (id) {
        id -> BigInt,
        message_id -> Varchar,
        content_hash -> Char,
        body -> Blob,
        schema_header -> Nullable<Varchar>,
        reason -> Varchar,
        status -> Varchar,
        created_at -> Datetime,
        updated_at -> Datetime,
        tries -> Integer,
        note -> Nullable<Varchar>,
    }
}

diesel::table! {
    reconciliations (id) {
        id -> BigInt,
        activity_id -> Nullable<BigInt>,
        dry_run -> Bool,
        differences -> BigInt,
        repaired -> BigInt,
        alarms -> BigInt,
        report -> Text,
        started_at -> Nullable<Datetime>,
        finished_at -> Nullable<Datetime>,
        asked_by -> Nullable<Varchar>,
        asked_at -> Nullable<Datetime>,
    }
}

diesel::table! {
    stock_changes (id) {
        id -> BigInt,
        change_id -> Varchar,
        activity_id -> BigInt,
        asked -> BigInt,
        changed -> BigInt,
        total_after -> BigInt,
        remain_after -> BigInt,
        fence -> BigInt,
    }
}

diesel::table! {
    audit_log (id) {
        id -> BigInt,
        actor_id -> Nullable<BigInt>,
        actor -> Varchar,
        action -> Varchar,
        subject -> Varchar,
        detail -> Text,
        request_id -> Varchar,
        at -> Datetime,
    }
}

diesel::table! {
    session_endings (id) {
        id -> BigInt,
        session_id -> Nullable<Char>,
        user_id -> Nullable<BigInt>,
        epoch -> Nullable<BigInt>,
        at -> Datetime,
    }
}

diesel::table! {
    sale_samples (activity_id, at) {
        activity_id -> BigInt,
        at -> Datetime,
        gate_stock -> Nullable<BigInt>,
        remain_stock -> BigInt,
        reserved -> Nullable<BigInt>,
        pending -> BigInt,
        paid -> BigInt,
        cancelled -> BigInt,
        rejected -> BigInt,
        participants -> Nullable<BigInt>,
        outcomes -> Nullable<Text>,
        total_stock -> Nullable<BigInt>,
    }
}

diesel::table! {
    settlements (activity_id) {
        activity_id -> BigInt,
        total_stock -> BigInt,
        remain_stock -> BigInt,
        participants -> BigInt,
        paid -> BigInt,
        cancelled -> BigInt,
        rejected -> BigInt,
        lost -> BigInt,
        outcomes -> Nullable<Text>,
        settled_at -> Datetime,
    }
}

diesel::table! {
    payments (id) {
        id -> BigInt,
        payment_no -> Char,
        order_no -> Char,
        provider -> Varchar,
        amount_cents -> BigInt,
        currency -> Char,
        status -> Varchar,
        taken_cents -> Nullable<BigInt>,
        reason -> Nullable<Varchar>,
        request_id -> Varchar,
        begun_at -> Datetime,
        settled_at -> Nullable<Datetime>,
        refunded_at -> Nullable<Datetime>,
        tries -> Integer,
        next_try_at -> Nullable<Datetime>,
    }
}

diesel::table! {
    sandbox_payments (payment_no) {
        payment_no -> Char,
        amount_cents -> BigInt,
        currency -> Char,
        return_to -> Varchar,
        status -> Varchar,
        notices -> Integer,
        next_notice_at -> Nullable<Datetime>,
    }
}

diesel::joinable!(activities -> products (product_id));
diesel::joinable!(orders -> activities (activity_id));
diesel::allow_tables_to_appear_in_same_query!(activities, products, orders, users);
diesel::allow_tables_to_appear_in_same_query!(orders, payments);
diesel::allow_tables_to_appear_in_same_query!(activities, sale_samples);
