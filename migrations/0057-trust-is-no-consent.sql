-- Trusted applications were noted as allowed by people whom nobody had asked. Who allowed what before the trust is not
-- known any more: they are all asked once it is withdrawn (decision 0155). A consent of no scope says that an application was
-- let in without a question.
update consents c set scopes = '{}' from applications a where a.id = c.application_id and a.trusted;
