/**
 * Published examples of Pix texts, right and wrong, each recomputed with an independent program. The last column says
 * where it was published or what it shows. Keys in it may belong to people: never pay them.
 */
export const pixVectors = {
  /** CRC-16/CCITT-FALSE: [text, check value]. */
  crc: [
    ["123456789", "29B1"],
    ["", "FFFF"],
    ["A", "B915"]
  ],
  /** [text, what it says, note]: BR Codes that must be read. */
  brCodes: [
    [
      "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D",
      "kind=static; name=Fulano de Tal; city=BRASILIA; key=123e4567-e12b-12d1-a456-426655440000; txid=***",
      "manual-static-no-amount: BCB Manual de Padroes"
    ],
    [
      "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4",
      "kind=dynamic; name=Fulano de Tal; city=BRASILIA; use=single; location=pix.example.com/8b3da2f39a4140d1a91abd93113bd441",
      "manual-dynamic: BCB Manual de Padroes"
    ],
    [
      "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865406100.505802BR5913Fulano de Tal6008BRASILIA62070503***80740014br.gov.bcb.pix2552pix.example.com/rec/2353c790eefb11eaadc10242ac12000263042875",
      "kind=static; name=Fulano de Tal; city=BRASILIA; key=123e4567-e12b-12d1-a456-426655440000; amount=100.50; txid=***; recurrence=pix.example.com/rec/2353c790eefb11eaadc10242ac120002",
      "manual-static-plus-recurrence: BCB Manual de Padroes v2.10"
    ],
    [
      "00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80740014br.gov.bcb.pix2552pix.example.com/rec/2353c790eefb11eaadc10242ac1200026304F2DA",
      "kind=recurrence; name=Fulano de Tal; city=BRASILIA; recurrence=pix.example.com/rec/2353c790eefb11eaadc10242ac120002",
      "manual-recurrence-only: BCB Manual de Padroes v2.10"
    ],
    [
      "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80740014br.gov.bcb.pix2552pix.example.com/rec/2353c790eefb11eaadc10242ac1200026304FB42",
      "kind=dynamic; name=Fulano de Tal; city=BRASILIA; use=single; location=pix.example.com/8b3da2f39a4140d1a91abd93113bd441; recurrence=pix.example.com/rec/2353c790eefb11eaadc10242ac120002",
      "manual-dynamic-plus-recurrence: BCB Manual de Padroes v2.10"
    ],
    [
      "00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002630462C9",
      "kind=recurrence; name=Fulano de Tal; city=BRASILIA; recurrence=pix.example.com/qr/v2/rec/2353c790eefb11eaadc10242ac120002",
      "bacen-api-rec-only: bacen/pix-api 2.9.0 line 3570"
    ],
    [
      "00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741",
      "kind=dynamic; name=Fulano de Tal; city=BRASILIA; use=single; location=pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd441; recurrence=pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa353194890",
      "bacen-api-cob+rec: bacen/pix-api 2.9.0 line 3669"
    ],
    [
      "00020101021226810014br.gov.bcb.pix2559pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e75204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/3ffa640fa4f14080adccb949fa2dc0d06304A441",
      "kind=dynamic; name=Fulano de Tal; city=BRASILIA; use=single; location=pix.example.com/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e7; recurrence=pix.example.com/qr/v2/rec/3ffa640fa4f14080adccb949fa2dc0d0",
      "bacen-api-cobv+rec: bacen/pix-api 2.9.0 line 3701"
    ],
    [
      "00020126510014br.gov.bcb.pix0115thalesog@me.com0210Pedido 123520400005303986540510.005802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***63040DC6",
      "kind=static; name=THALES OGLIARI; city=SAO MIGUEL DO O; key=thalesog@me.com; description=Pedido 123; amount=10.00; txid=***",
      "static-email-amount-info: thalesog/pix-utils tests/emvCodes.ts; CRC has a leading zero"
    ],
    [
      "00020126510014br.gov.bcb.pix0115thalesog@me.com0210Pedido 1235204000053039865802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***630462CA",
      "kind=static; name=THALES OGLIARI; city=SAO MIGUEL DO O; key=thalesog@me.com; description=Pedido 123; txid=***",
      "static-email-noamount-info: thalesog/pix-utils tests/emvCodes.ts"
    ],
    [
      "00020126950014br.gov.bcb.pix01364004901d-bd85-4769-8e52-cb4c42c506dc0221Jornada pagador 431070308999990085204000053039865406577.575802BR5903Pix6008BRASILIA6229052599ed983ea570413d8d336301d630418B7",
      "kind=static; name=Pix; city=BRASILIA; key=4004901d-bd85-4769-8e52-cb4c42c506dc; description=Jornada pagador 43107; withdrawalIspb=99999008; amount=577.57; txid=99ed983ea570413d8d336301d",
      "static-fss-txid25: thalesog/pix-utils tests/emvCodes.ts; 26-03 = FSS ISPB (Pix Saque); txid 25 chars = static maximum"
    ],
    [
      "00020126630014br.gov.bcb.pix0115thalesog@me.com0210Pedido 1230308123412345204000053039865802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***6304901C",
      "kind=static; name=THALES OGLIARI; city=SAO MIGUEL DO O; key=thalesog@me.com; description=Pedido 123; withdrawalIspb=12341234; txid=***",
      "static-fss-noamount: thalesog/pix-utils tests/emvCodes.ts"
    ],
    [
      "00020126740014br.gov.bcb.pix2552payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e875204000053039865802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***630442C5",
      "kind=dynamic; name=THALES OGLIARI; city=SAO MIGUEL DO O; location=payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e87",
      "dynamic-no-poi: thalesog/pix-utils tests/emvCodes.ts; dynamic without object 01"
    ],
    [
      "00020101021226740014br.gov.bcb.pix2552payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e875204000053039865802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***63042895",
      "kind=dynamic; name=THALES OGLIARI; city=SAO MIGUEL DO O; use=single; location=payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e87",
      "dynamic-poi12: thalesog/pix-utils tests/emvCodes.ts"
    ],
    [
      "00020126740014br.gov.bcb.pix2552payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e875204000053039865802BR5912BARBARA PELE6015SAO MIGUEL DO O62070503***63040433",
      "kind=dynamic; name=BARBARA PELE; city=SAO MIGUEL DO O; location=payload.psp.com/3ec9d2f9-5f03-4e0e-820d-63a81e769e87",
      'dynamic-ascii-folded-name: thalesog/pix-utils tests/emvCodes.ts; built from name "Bárbara Pelé", city "SÃO MIGUÉL DO O"; CRC leading zero'
    ],
    [
      "00020126780014br.gov.bcb.pix0136f4c6089a-bfde-4c00-a2d9-9eaa584b02190216CobrancaEstatica5204000053039865406650.345802BR5903Pix6008BRASILIA6229052580a2d0a923984e8dbb80b4adf80950014br.gov.bcb.pix2573qr-h.sandbox.pix.bcb.gov.br/rest/api/rec/d7913bcbfc4947c9811669db12b403746304595A",
      "kind=static; name=Pix; city=BRASILIA; key=f4c6089a-bfde-4c00-a2d9-9eaa584b0219; description=CobrancaEstatica; amount=650.34; txid=80a2d0a923984e8dbb80b4adf; recurrence=qr-h.sandbox.pix.bcb.gov.br/rest/api/rec/d7913bcbfc4947c9811669db12b40374",
      "static+rec-bcb-sandbox: thalesog/pix-utils tests/emvCodes.ts"
    ],
    [
      "00020101021226940014br.gov.bcb.pix2572qr-h.sandbox.pix.bcb.gov.br/rest/api/v2/7b2d64c4eb744a2d92a4dd5f8cfc4dfa5204000053039865802BR5913FULANO DE TAL6008BRASILIA62070503***80950014br.gov.bcb.pix2573qr-h.sandbox.pix.bcb.gov.br/rest/api/rec/3d29b94249c54b3f8c533d729f59b5e56304DBE0",
      "kind=dynamic; name=FULANO DE TAL; city=BRASILIA; use=single; location=qr-h.sandbox.pix.bcb.gov.br/rest/api/v2/7b2d64c4eb744a2d92a4dd5f8cfc4dfa; recurrence=qr-h.sandbox.pix.bcb.gov.br/rest/api/rec/3d29b94249c54b3f8c533d729f59b5e5",
      "dynamic+rec-bcb-sandbox: thalesog/pix-utils tests/emvCodes.ts"
    ],
    [
      "00020126180014br.gov.bcb.pix5204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80950014br.gov.bcb.pix2573qr-h.sandbox.pix.bcb.gov.br/rest/api/rec/5ee5232ead29422396b44f5eb67180d663041AD9",
      "kind=recurrence; name=Fulano de Tal; city=BRASILIA; recurrence=qr-h.sandbox.pix.bcb.gov.br/rest/api/rec/5ee5232ead29422396b44f5eb67180d6",
      "rec-bcb-sandbox: thalesog/pix-utils tests/emvCodes.ts"
    ],
    [
      "00020126650014br.gov.bcb.pix0119nubank@thalesog.com0220Gerado por Pix-Utils52040000530398654041.005802BR5914Thales Ogliari6009Sao Paulo62070503***63046069",
      "kind=static; name=Thales Ogliari; city=Sao Paulo; key=nubank@thalesog.com; description=Gerado por Pix-Utils; amount=1.00; txid=***",
      "readme-static: thalesog/pix-utils README.md"
    ],
    [
      "00020126650014br.gov.bcb.pix0119nubank@thalesog.com0220Gerado por Pix-Utils52040000530398654041.005802BR5914Thales Ogliari6015SAO MIGUEL DO O62070503***6304059A",
      "kind=static; name=Thales Ogliari; city=SAO MIGUEL DO O; key=nubank@thalesog.com; description=Gerado por Pix-Utils; amount=1.00; txid=***",
      "readme-static-crc0: thalesog/pix-utils README.md; CRC leading zero"
    ],
    [
      "00020126340014BR.GOV.BCB.PIX0112foo@bar.test5204000053039865406150.005802BR5914NOME RECEBEDOR6008CIDADE A62100506PED00163045F53",
      "kind=static; name=NOME RECEBEDOR; city=CIDADE A; key=foo@bar.test; amount=150.00; txid=PED001",
      "static-email-amount-txid"
    ],
    [
      "00020101021126410014br.gov.bcb.pix0119contato@exemplo.org5204000053039865802BR5920ATELIE AFRO CULTURAL6009SAO PAULO62070503***6304198D",
      "kind=static; name=ATELIE AFRO CULTURAL; city=SAO PAULO; use=reusable; key=contato@exemplo.org; txid=***",
      "static-no-amount-poi11-email"
    ],
    [
      "00020101021226330014br.gov.bcb.pix0111123456789095204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63043CAC",
      "kind=static; name=Fulano de Tal; city=BRASILIA; use=single; key=12345678909; txid=***",
      "key-cpf-single-use: static key with object 01 = 12"
    ],
    [
      "00020101021126580014br.gov.bcb.pix0136f8b4dbf6-c619-42fb-9f2f-0134209842d85204000053039865802BR5921Biscoint.io - NAX TEC6009SAO PAULO62070503***63042D6F",
      "kind=static; name=Biscoint.io - NAX TEC; city=SAO PAULO; use=reusable; key=f8b4dbf6-c619-42fb-9f2f-0134209842d8; txid=***",
      "static-poi11: bacen/pix-api#192; object 01 = 11"
    ],
    [
      "00020101021126580014br.gov.bcb.pix0136d6f1ca1f-9c50-4e1b-85af-611febcc0adc5204000053039865802BR5921Biscoint.io - NAX TEC6009SAO PAULO62070503***6304D501",
      "kind=static; name=Biscoint.io - NAX TEC; city=SAO PAULO; use=reusable; key=d6f1ca1f-9c50-4e1b-85af-611febcc0adc; txid=***",
      "static-poi11-b: bacen/pix-api#192"
    ],
    [
      "00020101021226770014BR.GOV.BCB.PIX2555pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a995204000053039865802BR5907EMPRESA6009SAO PAULO62070503***6304EEAB",
      "kind=dynamic; name=EMPRESA; city=SAO PAULO; use=single; location=pix.example.com/qr/93598be0-1bd0-4997-8318-81776a1d8a99",
      "dynamic-uppercase-gui: gist.matheusb-comp/1efa205b3c0ffd7af1e8ce63a10e02dc; GUI must be matched case-insensitively"
    ],
    [
      "00020126950014BR.GOV.BCB.PIX0136007a5515-24bf-4afc-8f17-a2b07f7701ec0233REF 08/2021 | MATRIC 20000100002552040000530398654071326.805802BR5924Instituto de Ensino Tecn6009Guarulhos62290525SmAYn6Aou4hfzPW34cgU5oTjv63045A83",
      "kind=static; name=Instituto de Ensino Tecn; city=Guarulhos; key=007a5515-24bf-4afc-8f17-a2b07f7701ec; description=REF 08/2021 | MATRIC 200001000025; amount=1326.80; txid=SmAYn6Aou4hfzPW34cgU5oTjv",
      "static-max-template26: alexandresanlim/pix-payload-generator.net#6"
    ]
  ],
  /** [text, the object that is wrong, why]. The check value of the first three is right. */
  badBrCodes: [
    [
      "00020126700014br.gov.bcb.pix0136403f6c37-bb1d-48aa-a61c-0f6a205764d80208[Pix.ae]5204000053039865802BR5903Pix6003Pix63042275",
      "62-05",
      "crc-ok-no-62: CRC valid but object 62-05 absent: strict decoder rejects (manual: 62-05 always present), lenient decoder may accept; bacen/pix-api#190 (renatofrota/pix-pendencias#8)"
    ],
    [
      "00020126890014BR.GOV.BCB.PIX2567api-pix.bancobs2.com.br/spi/v2/9e1a5dd8-7847-4c9b-ac97-8c56fabdce8452040000530398654061000.05802BR5910ALEXSANDER6014BELO HORIZONTE62140510QrCodeXpto6304631B",
      "54",
      "crc-ok-amount-one-decimal-and-txid-in-dynamic: seen in production: several apps refused it; txid in a dynamic QR must be *** (bacen/pix-api#231) (bacen/pix-api#188)"
    ],
    [
      "00020126540014br.gov.bcb.pix2532https://pix.thalesogliari.com.br5204000053039865802BR5914Thales Ogliari6009SAO PAULO62070503***63043FD3",
      "26-25",
      "crc-ok-url-with-scheme: location must not carry the https:// scheme (thalesog/pix-utils README.md)"
    ],
    [
      "00020126700014br.gov.bcb.pix0136403f6c37-bb1d-48aa-a61c-0f6a205764d80208[Pix.ae]5204000053039865802BR5903Pix6003Pix63040000",
      "63",
      "crc-zeroed: bad CRC (expected 2275) (renatofrota/pix-pendencias#8)"
    ],
    [
      "00020126580014br.gov.bcb.Pix0136123e4567-e12b-12d1-a456-426655440000520400005303986540510.005802BR5913TESTE ACCOUNT6008BRASILIA62070503***630445C8",
      "63",
      "crc-mismatch-published-doc: bad CRC in published API docs (expected 02A4) (docs.lerian.studio/en/reference/create-static-qr-code)"
    ],
    [
      "00020126360014BR.GOV.BCB.PIX0114+5511943214321520400005303986540566.665802BR5907EMPRESA6008BRASILIA62080503***6304170E",
      "",
      "crc-ok-but-tlv-broken: CRC MATCHES but object 62 claims length 08 for 7 characters: a CRC-only validator wrongly accepts it (gist.matheusb-comp/1efa205b3c0ffd7af1e8ce63a10e02dc)"
    ],
    [
      "00020101021226850014BR.GOV.BCB.PIX2563qrcode.example.com/pix/v2/abc12345-defg-6789-hijk-lmnopqrstuvw52040000530398654041.005802BR5925LOJA EXEMPLO LTDA6009SAO PAULO6229052512345678901234567890163049A2F",
      "63",
      "tlv-broken-published-doc: TLV lengths wrong and bad CRC (Open-Pix/openpix-developers src/swaggers/openpix.yml (POST /api/v1/payment example))"
    ],
    [
      "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3E",
      "63",
      "manual-one-digit-off: bad CRC (derived from manual-static-no-amount)"
    ],
    [
      "00020126700014br.gov.bcb.pix0136403f6c37-bb1d-48aa-a61c-0f6a205764d80208[Pix.ae]5204000053039865802BR5903Pix6003Pix6304",
      "63",
      "no-crc-value: object 63 without value (renatofrota/pix-pendencias#8)"
    ],
    ["", "", "empty: empty string (derived)"]
  ],
  /** [content, text] or [content, the object that is refused]. */
  builds: [
    {
      code: {
        kind: "static",
        merchantName: "THALES OGLIARI",
        merchantCity: "SÃO MIGUÉL DO O",
        key: "thalesog@me.com",
        txid: "***",
        description: "Pedido 123",
        amount: 1000n
      },
      text: "00020126510014br.gov.bcb.pix0115thalesog@me.com0210Pedido 123520400005303986540510.005802BR5914THALES OGLIARI6015SAO MIGUEL DO O62070503***63040DC6",
      from: "(thalesog/pix-utils tests/emvCodes.ts creator.test.ts)"
    },
    {
      code: {
        kind: "static",
        merchantName: "Fulano de Tal",
        merchantCity: "BRASILIA",
        key: "123e4567-e12b-12d1-a456-426655440000",
        txid: "***"
      },
      text: "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D",
      from: "(BCB Manual de Padroes)"
    },
    {
      code: {
        kind: "dynamic",
        merchantName: "Fulano de Tal",
        merchantCity: "BRASILIA",
        location: "pix.example.com/8b3da2f39a4140d1a91abd93113bd441",
        use: "single"
      },
      text: "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4",
      from: "(BCB Manual de Padroes)"
    },
    {
      code: {
        kind: "static",
        merchantName: "NNNNNNNNNNNNNNNNNNNNNNNNNN",
        merchantCity: "BRASILIA",
        key: "pix@bcb.gov.br",
        txid: "***"
      },
      refused: "59",
      from: "merchantName > 25 (EMV object 59)"
    },
    {
      code: {
        kind: "static",
        merchantName: "X",
        merchantCity: "CCCCCCCCCCCCCCCC",
        key: "pix@bcb.gov.br",
        txid: "***"
      },
      refused: "60",
      from: "merchantCity > 15 (EMV object 60)"
    },
    {
      code: {
        kind: "static",
        merchantName: "X",
        merchantCity: "Y",
        key: "pix@bcb.gov.br",
        txid: "AAAAAAAAAAAAAAAAAAAAAAAAAA"
      },
      refused: "62-05",
      from: "static txid > 25 (bacen/pix-api#77,#212)"
    },
    {
      code: {
        kind: "static",
        merchantName: "X",
        merchantCity: "Y",
        key: "pix@bcb.gov.br",
        txid: "NF-4813"
      },
      refused: "62-05",
      from: "txid must be [A-Za-z0-9] (bacen/pix-api#212)"
    },
    {
      code: {
        kind: "static",
        merchantName: "X",
        merchantCity: "Y",
        key: "123e4567-e12b-12d1-a456-426655440000",
        txid: "***",
        description: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
      },
      refused: "26",
      from: "infoAdicional > 73 - len(key) = 37 (template 26 is at most 99) (bacen/pix-api#194)"
    }
  ],
  /** [text, valid, note] */
  cpf: [
    ["12345678909", true, "bacen/pix-api 2.9.0 cob examples"],
    ["123.456.789-09", true, "same, masked (accept, normalise to digits)"],
    ["94271564656", true, "efipay/sdk-node-apis-efi"],
    ["45784409158", true, "Open-Pix/openpix-developers docs/charge/block-payments.md"],
    ["48971264012", true, "pagarme/pilot#1826"],
    ["05696664903", true, "docs.qitech.com.br caas/banking/pix_transactions"],
    ["09991222669", true, "docs.qitech.com.br caas/banking/pix_transactions"],
    ["52998224725", true, "widely used test CPF"],
    ["11144477735", true, "widely used test CPF (recomputed)"],
    ["01234567890", true, "docs.kiwify.com.br; leading zero must survive"],
    ["12345678901", false, "bacen/pix-dict-api Key table example"],
    ["52998224724", false, "check digit"],
    ["11111111111", false, "repeated digit"],
    ["00000000000", false, "repeated digit (mod-11 passes)"],
    ["22222222222", false, "repeated digit (mod-11 passes)"],
    ["1234567890", false, "10 digits"],
    ["123456789012", false, "12 digits"],
    ["1234567890A", false, "letter"]
  ],
  /** [text, valid, note] */
  cnpj: [
    ["12ABC34501DE35", true, "SERPRO/Receita official example"],
    ["12.ABC.345/01DE-35", true, "same, masked"],
    ["12.abc.345/01de-35", true, "same, lower case"],
    ["A1B2C3D4E5F668", true, "published in an alphanumeric CNPJ project README, recomputed"],
    ["AB.C4A.678/0001-60", true, "pypi cpf-alfacnpj README"],
    ["OTWXQENJDKC620", true, "dyammarcano/alfanumeric-cnpj README"],
    ["11222333000181", true, "AndersonCaproni/cnpj-input README"],
    ["00000000000191", true, "Banco do Brasil, bacen/pix-api#76; tiagolpadua README"],
    ["12345678000195", true, "bacen/pix-api 2.9.0 cobResponse1"],
    ["44038188000132", true, "masterdaweb.com algorithm article"],
    ["00038166000105", true, "Banco Central do Brasil"],
    ["09089356000118", true, "Efi, bacen/pix-api#76"],
    ["01181521000155", true, "Sicredi, bacen/pix-api#76"],
    ["00416968000101", true, "Banco Inter, bacen/pix-api#76"],
    ["60746948000112", true, "Bradesco, bacen/pix-api#76"],
    ["08561701000101", true, "PagSeguro, bacen/pix-api#76"],
    ["19540550000121", true, "Asaas, bacen/pix-api#560"],
    ["74866698000169", true, "developers.openpix.com.br subaccount example"],
    ["12ABC34501DE36", false, "check digit"],
    ["A1B2C3D41A2B99", false, "check digits are a placeholder (right: 62)"],
    ["00038166000106", false, "check digit"],
    ["12ABC34501DEA5", false, "check digits must be numeric"],
    ["00000000000000", false, "all zeros (mod-11 passes: reject explicitly)"],
    ["11111111111111", false, "repeated; AndersonCaproni README"],
    ["1122233300018", false, "13 characters"],
    ["12345678000190", false, "check digit; docs.gu1.ai (format illustration)"],
    ["12Ç34501DE35XX", false, "outside [0-9A-Z]"]
  ],
  /** [first 12 characters, check digits] */
  cnpjCheckDigits: [
    ["12ABC34501DE", "35"],
    ["000000000001", "91"],
    ["112223330001", "81"],
    ["A1B2C3D4E5F6", "68"],
    ["ZZZZZZZZZZZZ", "62"],
    ["000ABC000001", "20"]
  ],
  /** [id, ISPB, UTC minute, suffix]; from bacen/pix-api 2.9.0 and its issues, efipay, Open-Pix, qitech, B2B-IPY; the last is derived. */
  endToEndIds: [
    ["E12345678202009091221abcdef12345", "12345678", "2020-09-09T12:21Z", "abcdef12345"],
    ["E12345678202009091221kkkkkkkkkkk", "12345678", "2020-09-09T12:21Z", "kkkkkkkkkkk"],
    ["E1234567820200909122120200808008", "12345678", "2020-09-09T12:21Z", "20200808008"],
    ["E87654321202009091221dfghi123456", "87654321", "2020-09-09T12:21Z", "dfghi123456"],
    ["E12345678202406201221abcdef12345", "12345678", "2024-06-20T12:21Z", "abcdef12345"],
    ["E61024352202009170300nZLeeAoWH06", "61024352", "2020-09-17T03:00Z", "nZLeeAoWH06"],
    ["E12345678202404231030ab1diuLs08D", "12345678", "2024-04-23T10:30Z", "ab1diuLs08D"],
    ["E09089356202501151648API44aff264", "09089356", "2025-01-15T16:48Z", "API44aff264"],
    ["E23114447202304181826HJNwY577YDX", "23114447", "2023-04-18T18:26Z", "HJNwY577YDX"],
    ["E3240250220210615135810450327042", "32402502", "2021-06-15T13:58Z", "10450327042"],
    ["E0825353920231204193933984d6b8e6", "08253539", "2023-12-04T19:39Z", "33984d6b8e6"],
    ["E12ABC345202611201530abcdefghijk", "12ABC345", "2026-11-20T15:30Z", "abcdefghijk"]
  ],
  /** [text, note] */
  badEndToEndIds: [
    ["E12345678202009091221ghijk78901234", "34 characters, in bacen/pix-api 2.9.0"],
    ["E3524a995bbd54034b6d07c1c36014557", "33 characters"],
    ["E9999901012341234123412345678900", "no real date; developers.pismo.io"],
    ["D12345678202009091000abcde123456", "return id, not e2e"],
    ["e12345678202009091221abcdef12345", "lower case e"]
  ],
  /** [text, valid, note] */
  returnIds: [
    ["D12345678202009091000abcde123456", true, "bacen/pix-api 2.9.0"],
    ["D12345678202009091221abcdf098765", true, "bacen/pix-api 2.9.0"],
    ["D12345678202011111000fghij789012", true, "bacen/pix-api 2.9.0"],
    ["E12345678202009091221abcdef12345", false, ""]
  ],
  /** [text, valid in a charge, valid in a static BR Code, note] */
  txids: [
    ["7978c0c97ea847e78e8849634473c1f1", true, false, "bacen/pix-api 2.9.0"],
    ["cd1fe328c875481285a6f233ae41b662", true, false, "bacen/pix-api 2.9.0"],
    ["fc9a4366ff3d4964b5dbc6c91a8722d3", true, false, "bacen/pix-api 2.9.0"],
    ["abcdefghij0123456789012345", true, false, "docs.kiwify.com.br (26 = minimum)"],
    ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", true, false, "maximum"],
    ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", false, false, ""],
    ["AAAAAAAAAAAAAAAAAAAAAAAAA", false, true, "static maximum"],
    ["PED001", false, true, ""],
    ["***", false, true, '"no txid" marker'],
    ["7978c0c9-7ea8-47e7-8e88-49634473c1f1", false, false, "hyphens"],
    ["RP12345678-2019", false, false, "Manual do BR Code 2019 example, hyphen no longer allowed"],
    ["", false, false, ""]
  ],
  /** [type, text, form in the DICT, note] */
  pixKeys: [
    ["cpf", "12345678909", "12345678909", "bacen/pix-api 2.9.0"],
    ["cpf", "529.982.247-25", "52998224725", "accept punctuation on input, store digits"],
    ["cnpj", "00038166000105", "00038166000105", "Manual de Padroes"],
    ["cnpj", "12ABC34501DE35", "12ABC34501DE35", "Manual de Padroes 2.9.0 sec. 2.5.1"],
    ["cnpj", "12.abc.345/01de-35", "12ABC34501DE35", ""],
    ["phone", "+5510998765432", "+5510998765432", "bacen/pix-dict-api 1.8.0"],
    ["phone", "+5511987654321", "+5511987654321", "bacen/pix-dict-api 1.8.0"],
    ["phone", "+5561912345678", "+5561912345678", "Manual de Padroes"],
    ["phone", "(11) 98765-4321", "+5511987654321", "national form"],
    ["phone", "11987654321", "+5511987654321", "only because pixKeyType says phone"],
    ["phone", "5561912345678", "+5561912345678", ""],
    ["email", "pix@bcb.gov.br", "pix@bcb.gov.br", "bacen/pix-dict-api 1.8.0"],
    [
      "email",
      "fulano_da_silva.recebedor@example.com",
      "fulano_da_silva.recebedor@example.com",
      "Manual de Padroes"
    ],
    ["email", "Fulano@Example.com", "fulano@example.com", "must be stored lower case"],
    [
      "email",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@exemplo.com",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@exemplo.com",
      "77 characters = maximum"
    ],
    [
      "random",
      "123e4567-e89b-12d3-a456-426655440000",
      "123e4567-e89b-12d3-a456-426655440000",
      "DICT 1.8.0"
    ],
    [
      "random",
      "123e4567-e12b-12d1-a456-426655440000",
      "123e4567-e12b-12d1-a456-426655440000",
      "not v4"
    ],
    [
      "random",
      "7d9f0335-8dcc-4054-9bf9-0dbd61d36906",
      "7d9f0335-8dcc-4054-9bf9-0dbd61d36906",
      "pix-api 2.9.0"
    ],
    ["random", "123E4567-E12B-12D1-A456-426655440000", "123e4567-e12b-12d1-a456-426655440000", ""]
  ],
  /** [type, text, note] */
  badPixKeys: [
    ["cpf", "12345678901", "regex ok, check digits wrong"],
    ["cpf", "1234567890", ""],
    ["cnpj", "12ABC34501DE36", ""],
    ["cnpj", "12345678901234", "DICT doc example, check digits wrong"],
    ["phone", "+556132345678", "landline"],
    ["phone", "+5511887654321", "subscriber number must start with 9"],
    ["phone", "+15551234567", "not +55"],
    [
      "email",
      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa@exemplo.com",
      "78 characters"
    ],
    ["email", "joão@exemplo.com", "non-ASCII"],
    ["email", "fulano@", ""],
    ["random", "123e4567e12b12d1a456426655440000", "hyphens required"],
    ["random", "not-a-uuid", ""]
  ],
  /** [text, valid] */
  bacenAmounts: [
    ["37.00", true],
    ["0.01", true],
    ["9999999999.99", true],
    ["37", false],
    ["37.0", false],
    ["37,00", false],
    ["-1.00", false],
    ["12345678901.00", false],
    ["1e3", false],
    ["", false]
  ],
  /** [text, valid, note]: R, R or N, ISPB, date, 11 characters. */
  recurrenceIds: [
    ["RR1234567820240115abcdefghijk", true, "bacen/pix-api 2.9.0"],
    ["RN1234567820240115abcdefghijk", true, "derived from rule"],
    ["XX1234567820240115abcdefghijk", false, ""]
  ],
  /** HMAC-SHA256 of the raw body; the bytes of the secret as they are. */
  webhookSignature: {
    secret: "whsec_test_secret",
    body: '{"event":"payment_completed","eventId":"6f1c2f0e-4a0e-4c57-9d2d-0d6b1a2b3c4d","timestamp":"2026-11-20T12:00:00.000Z","subAccount":null,"data":{"transactionId":"6f1c2f0e-4a0e-4c57-9d2d-0d6b1a2b3c4d","amount":10.5}}',
    header: "sha256=c409bb0dc1dd647d58fdff114063e01622982c890dd7ad6996fe6d914bc79b55"
  }
} as const
